// A server of tools on the loopback, for tests: prints `PORT n`, ends with its standard input.
//
// Its first four paths are servers made with the protocol's own library: `/stateful`,
// `/stateless` answer with JSON, `/stateful-events`, `/stateless-events` with streams of events.
// `/token` is as `/stateful`, but wants `Authorization: Bearer right-token`. Any other path is a
// row of `wrong` below: a server that does not do as it should. `POST /forget` makes it forget all
// sessions; `GET /log` tells what it saw.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { EmptyResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const sessions = new Map();
const log = { posts: [], deletes: 0, cancelled: 0 };
const text = (words) => ({ content: [{ type: "text", text: words }] });

function newServer() {
  const server = new McpServer({ name: "test", version: "1.0.0" }, { capabilities: { logging: {} } });
  const tool = (name, description, inputSchema, run) =>
    server.registerTool(name, { description, inputSchema }, run);
  tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, ({ a, b }) => text(`${a + b}`));
  tool("nothing", "Takes nothing", {}, () => text("done"));
  tool("fail", "Fails", {}, () => ({ ...text("the disk is full"), isError: true }));
  tool("throw", "Throws", {}, () => { throw new Error("it broke"); });
  tool("huge", "Gives so many bytes", { bytes: z.number() }, ({ bytes }) => text("a".repeat(bytes)));
  tool("slow", "Takes its time", { ms: z.number() },
    ({ ms }) => new Promise((done) => setTimeout(() => done(text("at last")), ms)));
  tool("mixed", "Gives more than text", {}, () => ({
    content: [
      { type: "text", text: "a picture:" },
      { type: "image", mimeType: "image/png", data: Buffer.alloc(1234).toString("base64") },
      { type: "resource_link", uri: "file:///a.txt", name: "a" },
      { type: "resource", resource: { uri: "file:///b.txt", text: "beta" } },
      { type: "resource", resource: { uri: "file:///c.bin", mimeType: "a/b", blob: "AAAA" } },
    ],
  }));
  server.registerTool("structured", {
    description: "Gives an object", inputSchema: {}, outputSchema: { degrees: z.number() },
  }, () => ({ content: [], structuredContent: { degrees: 21 } }));
  // Notes and questions of the server's own, before the answer.
  tool("ask_back", "Asks the client", {}, async (_, { sendNotification, sendRequest }) => {
    await sendNotification({ method: "notifications/message",
                             params: { level: "info", data: "working" } });
    await sendRequest({ method: "ping" }, EmptyResultSchema);
    const refused = await sendRequest({ method: "roots/list" }, EmptyResultSchema)
      .then(() => "accepted", (error) => `refused with ${error.code}`);
    return text(`ping answered, roots ${refused}`);
  });
  return server;
}

async function withLibrary(request, response, body, stateful, enableJsonResponse) {
  const known = sessions.get(request.headers["mcp-session-id"]);
  if (known) return known.handleRequest(request, response, body);
  if (stateful && body?.method !== "initialize") {
    response.writeHead(404, { "content-type": "application/json" });
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    return undefined;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: stateful ? randomUUID : undefined, enableJsonResponse,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  transport.onclose = () => sessions.delete(transport.sessionId);
  await newServer().connect(transport);
  return transport.handleRequest(request, response, body);
}

const schema = { type: "object" };
const addTool = { name: "add", description: "Adds", inputSchema: schema };

// One exchange with a server that is wrong somewhere.
class Exchange {
  constructor(response, message) {
    this.response = response;
    this.message = message;
    this.cursor = message.params?.cursor;
  }
  send(status, type, bytes) {
    this.response.writeHead(status, { "content-type": type });
    this.response.end(bytes);
  }
  json(object) { this.send(200, "application/json", JSON.stringify(object)); }
  wrap(result, id = this.message.id) { return { jsonrpc: "2.0", id, result }; }
  result(result) { this.json(this.wrap(result)); }
  error(code, message) { this.json({ jsonrpc: "2.0", id: this.message.id, error: { code, message } }); }
  tools(list, nextCursor) { this.result({ tools: list, nextCursor }); }
  begin() {
    this.response.writeHead(200, { "content-type": "text/event-stream" });
    return this.response;
  }
}

const greet = (exchange) => exchange.result({
  protocolVersion: "2025-06-18", capabilities: { tools: {} },
  serverInfo: { name: "wrong", version: "0" },
});
// Each row replaces what a server does for some methods.
const usual = {
  "initialize": greet,
  "notifications/initialized": (exchange) => exchange.send(202, "text/plain", ""),
  "notifications/cancelled": (exchange) => {
    log.cancelled += 1;
    exchange.send(202, "text/plain", "");
  },
  "tools/list": (exchange) => exchange.tools([addTool]),
  "tools/call": (exchange) => exchange.result(text("3")),
};
const onInit = (run) => ({ "initialize": run });
const onList = (run) => ({ "tools/list": run });
const onCall = (run) => ({ "tools/call": run });
const version = (protocolVersion, capabilities = { tools: {} }) => onInit(
  (exchange) => exchange.result({ protocolVersion, capabilities, serverInfo: {} }));
const named = (...names) => onList(
  (exchange) => exchange.tools(names.map((name) => ({ name, inputSchema: schema }))));
const wrong = {
  "/page": onInit((exchange) => exchange.send(200, "text/html", "<html>hello</html>")),
  "/refused": onInit((exchange) => exchange.error(-32000, "go away")),
  "/forbidden": onInit((exchange) => exchange.send(403, "text/plain", "not you")),
  "/moved": onInit((exchange) => {
    exchange.response.setHeader("location", "http://elsewhere.example/mcp");
    exchange.send(307, "text/plain", "");
  }),
  "/busy": onInit((exchange) => exchange.send(500, "text/plain", "too busy")),
  "/silent": onInit(() => {}),
  "/older": version("2025-03-26"),
  "/newer": version("2031-01-01"),
  "/toolless": version("2025-06-18", {}),
  "/empty": named(),
  "/twice": named("add", "add"),
  "/spaces": named("add numbers"),
  "/long": named("a".repeat(65)),
  "/list-schema": onList((exchange) => exchange.tools([{ name: "add", inputSchema: [] }])),
  "/no-schema": onList((exchange) => exchange.tools([{ name: "add" }])),
  "/no-list": onList((exchange) => exchange.result({ tools: "none" })),
  "/pages": onList(({ cursor = "0", ...exchange }) => Object.setPrototypeOf(exchange, Exchange.prototype)
    .tools([{ name: `tool-${cursor}`, inputSchema: schema }], cursor === "2" ? undefined : `${+cursor + 1}`)),
  "/endless": onList((exchange) => exchange.tools([{ name: `t${exchange.cursor ?? 0}`, inputSchema: schema }],
                                                  `${+(exchange.cursor ?? 0) + 1}`)),
  "/circle": onList((exchange) => exchange.tools([], "again")),
  "/hang": onCall(() => {}),
  "/drop": onCall((exchange) => exchange.response.destroy()),
  "/drop-events": onCall((exchange) => {
    exchange.begin().write(": hello\n\ndata: {\"jsonrpc\"", () => exchange.response.destroy());
  }),
  "/no-reply": onCall((exchange) => exchange.begin().end("data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")),
  "/other-id": onCall((exchange) => exchange.json(exchange.wrap(text("3"), 999))),
  "/garbage": onCall((exchange) => exchange.send(200, "application/json", "{nonsense")),
  "/no-content": onCall((exchange) => exchange.result({})),
  "/call-error": onCall((exchange) => exchange.error(-32602, "no such thing")),
  "/call-500": onCall((exchange) => exchange.send(500, "text/plain", "it crashed")),
  "/call-403": onCall((exchange) => exchange.send(403, "text/plain", "Bearer right-token expired")),
  "/list-of-replies": onCall((exchange) => exchange.json(
    [{ jsonrpc: "2.0", method: "notifications/message" }, exchange.wrap(text("3"))])),
  // The stream stays open after the reply.
  "/open": onCall((exchange) => exchange.begin().write(
    `\r\n: a comment\r\nid: 1\r\nevent: message\r\ndata: ${JSON.stringify(exchange.wrap(text("3")))}\r\n\r\n`)),
};

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length ? JSON.parse(Buffer.concat(chunks)) : undefined;
  const path = request.url;
  if (path === "/log") return response.end(JSON.stringify(log));
  if (path === "/forget") {
    sessions.clear();
    return response.end("{}");
  }
  if (request.method === "DELETE") log.deletes += 1;
  if (request.method === "POST")
    log.posts.push({ path, method: body.method ?? "(reply)", session: request.headers["mcp-session-id"],
                     version: request.headers["mcp-protocol-version"], accept: request.headers.accept });
  if (path === "/token" && request.headers.authorization !== "Bearer right-token") {
    response.writeHead(401, { "content-type": "application/json" });
    return response.end(`{"error":"unauthorized: ${request.headers.authorization}"}`);
  }
  if (path in wrong) {
    const run = { ...usual, ...wrong[path] }[body?.method];
    return run ? run(new Exchange(response, body)) : response.writeHead(405).end();
  }
  const kind = /^\/(stateful|stateless|token)(-events)?$/.exec(path);
  if (!kind) return response.writeHead(404).end("nothing here");
  return withLibrary(request, response, body, kind[1] !== "stateless", !kind[2]);
}).listen(0, "127.0.0.1", function listening() { console.log(`PORT ${this.address().port}`); });

process.stdin.resume().on("end", () => process.exit(0));
