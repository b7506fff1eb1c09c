#!/usr/bin/python3
"""The model server itself: what tests of others rely on."""

import contextlib
import http.client
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from model_server import ModelServer  # noqa: E402

CHAT, ROUTER, MESSAGES = "/v1/chat/completions", "/api/v1/chat/completions", "/v1/messages"
OLLAMA, ECHO, EMBEDDINGS = "/api/chat", "/echo", "/v1/embeddings"


class ModelServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ModelServer().start()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def setUp(self):
        self.server.reset()

    def send(self, method, path, body="", headers=None, server=None):
        with contextlib.closing(
                http.client.HTTPConnection((server or self.server).url[7:], timeout=60)) as link:
            link.request(method, path, body, headers or {})
            with link.getresponse() as answer:
                return answer.status, answer.headers, answer.read()

    def raw(self, path, prompt, server=None, headers=None):
        body = {"model": "m", "messages": [{"role": "system", "content": "be brief"},
                                           {"role": "user", "content": prompt}], "stream": False}
        return self.send("POST", path, json.dumps(body), headers, server)

    def ask(self, path, prompt):
        status, _, data = self.raw(path, prompt)
        self.assertEqual(status, 200, data)
        return json.loads(data)

    def test_openai(self):
        answer = self.ask(CHAT, "What is 15 * 7?")
        self.assertEqual(answer["choices"][0]["message"]["content"], "15 * 7 is 105.")
        self.assertEqual(answer["choices"][0]["finish_reason"], "stop")
        self.assertEqual(answer["model"], "m")
        usage = answer["usage"]
        self.assertEqual((usage["prompt_tokens"], usage["completion_tokens"]), (7, 5))
        self.assertEqual(usage["total_tokens"], 12)
        self.assertNotIn("cost", usage)

    def embed(self, text):
        status, _, data = self.send("POST", EMBEDDINGS, json.dumps({"model": "m", "input": text}))
        self.assertEqual(status, 200, data)
        return json.loads(data)

    def test_embeddings(self):
        vector = self.embed("Paris is in France")["data"][0]["embedding"]
        self.assertEqual(len(vector), 64)
        self.assertEqual(vector, self.embed("Paris is in France")["data"][0]["embedding"])
        self.assertNotEqual(vector, self.embed("Bread is made of flour")["data"][0]["embedding"])
        self.assertEqual(self.embed("Paris is in France")["usage"]["prompt_tokens"], 4)
        self.assertEqual(self.send("POST", EMBEDDINGS, '{"model": "m", "input": ""}')[0], 400)

    def test_embeddings_with_faults(self):
        def vector(text):
            return self.embed(text)["data"][0]["embedding"]
        self.assertEqual(len(vector("vector=short")), 32)
        self.assertEqual(vector("vector=empty"), [])
        self.assertEqual(set(vector("vector=zeros")), {0})
        self.assertNotEqual(vector("vector=nan")[3], vector("vector=nan")[3])
        self.assertIsNone(vector("vector=null")[3])
        self.assertEqual(vector("vector=huge")[3], 1e300)

    def test_openrouter_states_its_cost(self):
        self.assertEqual(self.ask(ROUTER, "hi cost=0.0123")["usage"]["cost"], 0.0123)
        self.assertGreater(self.ask(ROUTER, "hi")["usage"]["cost"], 0)

    def test_anthropic(self):
        answer = self.ask(MESSAGES, "hello there cached=10 cachewrite=5")
        self.assertEqual(answer["content"],
                         [{"type": "text", "text": "hello there cached=10 cachewrite=5"}])
        self.assertEqual(answer["stop_reason"], "end_turn")
        self.assertEqual(answer["usage"], {
            "input_tokens": 6, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 10,
            "output_tokens": 4})

    def test_ollama(self):
        answer = self.ask(OLLAMA, "say \"moo\"")
        self.assertEqual(answer["message"]["content"], "moo")
        self.assertEqual((answer["prompt_eval_count"], answer["eval_count"]), (4, 1))
        self.assertTrue(answer["done"])

    def test_echo(self):
        self.assertEqual(self.ask(ECHO, "hello")["output"], "hello")
        for body in ('{"prompt": "abc"}', '{"input": "abc"}', "abc"):
            self.assertEqual(json.loads(self.send("POST", ECHO, body)[2])["output"], "abc")

    def test_lists(self):
        for path, key in (("/v1/models", "data"), ("/api/v1/models", "data"),
                          ("/api/tags", "models")):
            self.assertEqual(len(json.loads(self.send("GET", path)[2])[key]), 2)

    def test_no_text(self):
        self.assertEqual(self.ask(CHAT, "empty")["choices"][0]["message"]["content"], "")
        self.assertEqual(self.ask(MESSAGES, "empty")["content"], [])
        thought = self.ask(MESSAGES, "thinking")["content"]
        self.assertEqual([block["type"] for block in thought], ["thinking"])
        message = self.ask(CHAT, "thinking")["choices"][0]["message"]
        self.assertEqual((message["content"], bool(message["reasoning_content"])), ("", True))
        self.assertTrue(self.ask(ROUTER, "thinking")["choices"][0]["message"]["reasoning"])
        self.assertTrue(self.ask(OLLAMA, "thinking")["message"]["thinking"])

    def test_tools(self):
        choice = self.ask(CHAT, "tool")["choices"][0]
        self.assertEqual(choice["finish_reason"], "tool_calls")
        self.assertEqual(choice["message"]["tool_calls"][0]["function"],
                         {"name": "get_weather", "arguments": '{"city":"Paris"}'})
        answer = self.ask(MESSAGES, "tool")
        self.assertEqual((answer["stop_reason"], answer["content"][0]["input"]),
                         ("tool_use", {"city": "Paris"}))
        calls = self.ask(OLLAMA, "tool")["message"]["tool_calls"]
        self.assertEqual(calls[0]["function"]["arguments"], {"city": "Paris"})

    def converse(self, path, messages, tools=True):
        """The answer to a conversation in which one tool is offered."""
        schema = {"type": "object", "properties": {}}
        tool = ({"name": "add", "input_schema": schema} if path == MESSAGES else
                {"type": "function", "function": {"name": "add", "parameters": schema}})
        body = {"model": "m", "messages": messages, "stream": False}
        status, _, data = self.send("POST", path, json.dumps(
            {**body, "tools": [tool]} if tools else body))
        return status, json.loads(data)

    def test_calls_and_their_results(self):
        prompt = {"role": "user", "content": 'say "done" call=add{"a":1} call=now'}
        _, answer = self.converse(CHAT, [prompt])
        said = answer["choices"][0]["message"]
        self.assertEqual([(call["function"]["name"], call["function"]["arguments"])
                          for call in said["tool_calls"]], [("add", '{"a":1}'), ("now", "{}")])
        self.assertIsNone(said["content"])
        results = [{"role": "tool", "tool_call_id": call["id"], "content": str(number)}
                   for number, call in enumerate(said["tool_calls"])]
        said = {"role": "assistant", "content": None, "tool_calls": said["tool_calls"]}
        _, answer = self.converse(CHAT, [prompt, said, *results])
        self.assertEqual(answer["choices"][0]["message"]["content"], "done\n[0]\n[1]")
        for wrong in ([prompt, said, results[0], prompt], [prompt, *results],
                      [prompt, {**said, "content": ""}, *results]):
            self.assertEqual(self.converse(CHAT, wrong)[0], 400)
        self.assertEqual(self.converse(CHAT, [prompt, said, *results], tools=False)[0], 400)

        _, answer = self.converse(MESSAGES, [prompt])
        said = {"role": "assistant", "content": answer["content"]}
        results = [{"type": "tool_result", "tool_use_id": block["id"], "content": "x",
                    "is_error": True} for block in answer["content"]]
        _, answer = self.converse(MESSAGES, [prompt, said, {"role": "user", "content": results}])
        self.assertEqual(answer["content"][0]["text"], "done\n[error: x]\n[error: x]")
        status, _ = self.converse(MESSAGES, [prompt, said, {"role": "user", "content": results[:1]}])
        self.assertEqual(status, 400)

        _, answer = self.converse(OLLAMA, [prompt])
        results = [{"role": "tool", "tool_name": "add", "content": "x"}] * 2
        _, answer = self.converse(OLLAMA, [prompt, answer["message"], *results])
        self.assertEqual(answer["message"]["content"], "done\n[x]\n[x]")

    def test_stop(self):
        self.assertEqual(self.ask(CHAT, "x stop=length")["choices"][0]["finish_reason"], "length")
        self.assertEqual(self.ask(MESSAGES, "x stop=length")["stop_reason"], "max_tokens")
        self.assertEqual(self.ask(MESSAGES, "x stop=refusal")["stop_reason"], "refusal")

    def test_usage(self):
        self.assertNotIn("usage", self.ask(CHAT, "nousage"))
        self.assertNotIn("eval_count", self.ask(OLLAMA, "nousage"))
        usage = self.ask(CHAT, "hello reasoning=7")["usage"]
        self.assertEqual(usage["completion_tokens_details"]["reasoning_tokens"], 7)
        with ModelServer("--usage", "off") as server:
            self.assertNotIn(b"usage", self.raw(CHAT, "hi", server)[2])

    def test_strange_bytes(self):
        self.assertIn(b"\\u0000", self.raw(CHAT, "nul say \"ab\"")[2])
        self.assertIn(b"\xff\xfe", self.raw(CHAT, "badutf8")[2])
        self.assertEqual(len(self.ask(ECHO, "huge=3000000")["output"]), 3_000_000)

    def test_bodies_that_are_no_answer(self):
        status, headers, data = self.raw(CHAT, "type=text/html")
        self.assertEqual((status, headers["content-type"]), (200, "text/html"))
        self.assertIn(b"<html>", data)
        with self.assertRaises(json.JSONDecodeError):
            json.loads(self.raw(CHAT, "truncate")[2])
        with self.assertRaises(http.client.IncompleteRead):
            self.raw(CHAT, "truncate=connection")
        with self.assertRaises(ConnectionResetError):
            self.raw(CHAT, "reset=1")
        self.assertEqual(self.raw(CHAT, "reset=1")[0], 200)
        self.assertEqual(self.raw(CHAT, "please reset the tool, empty it")[0], 200)
        self.assertEqual(self.ask(ECHO, "drip=0.1")["output"], "drip=0.1")

    def test_failures(self):
        prompt = "fail=429x2,retry-after=3"
        status, headers, data = self.raw(CHAT, prompt)
        self.assertEqual((status, headers["retry-after"]), (429, "3"))
        self.assertIn("x-ratelimit-reset-requests", headers)
        self.assertEqual(json.loads(data)["error"]["code"], "rate_limit_exceeded")
        status, headers, data = self.raw(MESSAGES, prompt)  # counted by its own path
        self.assertEqual(json.loads(data)["error"]["type"], "rate_limit_error")
        self.assertEqual(self.raw(CHAT, prompt)[0], 429)
        self.assertEqual(self.raw(CHAT, prompt)[0], 200)
        self.assertEqual(json.loads(self.raw(ROUTER, "fail=402")[2])["error"]["code"], 402)
        self.assertIsInstance(json.loads(self.raw(OLLAMA, "fail=500")[2])["error"], str)
        stats = self.server.stats()
        self.assertEqual(stats["by_status"], {"200": 1, "402": 1, "429": 3, "500": 1})
        self.assertEqual(stats["by_path"][CHAT], 3)

    def test_keys(self):
        with ModelServer("--require-key", "k") as server:
            self.assertEqual(self.raw(CHAT, "hi", server)[0], 401)
            self.assertEqual(self.raw(CHAT, "hi", server, {"Authorization": "Bearer k"})[0], 200)
            self.assertEqual(self.raw(MESSAGES, "hi", server, {"X-Api-Key": "k"})[0], 200)
            status, _, data = self.raw(MESSAGES, "hi", server)
            self.assertEqual(json.loads(data)["error"]["type"], "authentication_error")

    def test_refusals(self):
        for method, path, body, status in (
                ("POST", CHAT, "{", 400), ("POST", CHAT, '{"stream": true}', 400),
                ("POST", OLLAMA, "{}", 400), ("GET", CHAT, "", 405), ("GET", "/nowhere", "", 404)):
            got, _, data = self.send(method, path, body)
            self.assertEqual(got, status)
            self.assertIn("error", json.loads(data))

    def test_stats(self):
        for number in range(25):
            self.raw(ECHO, f"number {number} latency=1")
        stats = self.server.stats()
        self.assertEqual((stats["requests"], stats["most_in_flight"], stats["in_flight"]),
                         (25, 1, 0))
        self.assertGreaterEqual(stats["mean_latency"], 0.001)
        self.assertEqual(len(stats["recent"]), 20)
        self.assertIn("number 24", stats["recent"][-1]["body"])
        self.assertEqual(stats["recent"][-1]["method"], "POST")
        self.assertIn("host", stats["recent"][-1]["headers"])
        self.server.reset()
        self.assertEqual(self.server.stats()["requests"], 0)


if __name__ == "__main__":
    unittest.main()
