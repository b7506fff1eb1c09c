#!/usr/bin/env python3
"""`vibe serve` with TLS: certificates of a CA made for the test. Needs VIBE, VIBE_BUILD, VIBE_SOURCE and openssl."""
import contextlib
import http.client
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ServeWorld  # noqa: E402

EXTENSIONS = "subjectAltName=DNS:localhost,IP:127.0.0.1\n"


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.files = folder = pathlib.Path(cls._folder.name)
        (folder / "extensions").write_text(EXTENSIONS)
        openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=test CA", "-keyout", "ca.key", "-out", "ca.pem")
        for name in ("server", "other"):
            openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", f"{name}.key",
                    "-out", f"{name}.csr")
            openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                    "-days", "2", "-extfile", "extensions", "-out", f"{name}.pem")
        openssl(folder, "rsa", "-aes256", "-passout", "pass:x", "-in", "server.key", "-out", "locked.key")
        (folder / "folder").mkdir()
        (folder / "garbage.pem").write_text("-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n")

    def setUp(self):
        self.world = self.enterContext(ServeWorld(is_started=False))

    def pair(self, certificate="server.pem", key="server.key"):
        return "--tls-cert", str(self.files / certificate), "--tls-key", str(self.files / key)

    def context(self):
        return ssl.create_default_context(cafile=self.files / "ca.pem")

    def ask(self, context=None):
        connection = http.client.HTTPSConnection("localhost", self.world.port, timeout=60, context=context or self.context())
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def test_a_client_that_trusts_the_ca_is_answered(self):
        self.world.serve(*self.pair())
        self.assertTrue(self.world.lines[-1].startswith("listening on https://127.0.0.1:"), self.world.lines)
        self.assertEqual(self.ask(), 200)
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.ask(ssl.create_default_context())
        self.assertEqual(self.world.stop(), 0)

    def test_a_public_address_is_fine_with_it(self):
        self.world.serve("--host", "0.0.0.0", *self.pair())
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.world.stop(), 0)

    def test_files_of_the_configuration(self):
        for name in ("server.pem", "server.key"):
            self.world.write(f".vibecheck/tls/{name}", (self.files / name).read_text())
        self.world.write(".vibecheck/config.yaml",
                         "serve: {port: 0, tls_certificate: tls/server.pem, tls_key: tls/server.key}\n")
        self.world.serve(port=None)
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.world.stop(), 0)

    def test_old_versions_are_refused(self):
        self.world.serve(*self.pair())
        context = self.context()
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.ask(context)
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.world.stop(), 0)

    def test_plain_requests_and_noise_are_not_answered(self):
        self.world.serve(*self.pair())
        for noise in (b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\0" * 64):
            with socket.create_connection(("127.0.0.1", self.world.port), timeout=60) as client:
                answer = b""
                try:
                    client.sendall(noise)
                    client.shutdown(socket.SHUT_WR)
                    while chunk := client.recv(65536):
                        answer += chunk
                except OSError:  # it has hung up already
                    pass
                self.assertNotIn(b"HTTP/1.1 200", answer)
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.world.stop(), 0)

    def test_silent_clients_do_not_hold_a_full_server(self):
        """Not even after the handshake, of which more bytes come than of many requests."""
        self.world.write(".vibecheck/config.yaml", "serve: {max_connections: 40, connections_per_address: 0}\n")
        self.world.serve(*self.pair())
        with contextlib.ExitStack() as stack:
            for _ in range(60):
                plain = stack.enter_context(socket.create_connection(("127.0.0.1", self.world.port), timeout=60))
                stack.enter_context(self.context().wrap_socket(plain, server_hostname="localhost"))
            self.assertEqual([self.ask() for _ in range(3)], [200] * 3)
        self.assertEqual(self.world.stop(), 0)

    def test_lengths_that_cannot_be_read_are_refused_once(self):
        self.world.serve(*self.pair())
        for length in (b"+5", b"0x5", b"99999999999999999999", b"5,5"):
            with self.subTest(length=length), socket.create_connection(("127.0.0.1", self.world.port), timeout=60) as plain:
                client = self.context().wrap_socket(plain, server_hostname="localhost")
                client.sendall(b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + b"\r\n\r\nhello")
                answer = b""
                with contextlib.suppress(OSError):
                    while part := client.recv(65536):
                        answer += part
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
                self.assertIn(b'{"error":', answer)
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.world.stop(), 0)

    def test_files_that_are_of_no_use(self):
        # libmicrohttpd does not free what it has read of a certificate that it refuses.
        self.world.environment["ASAN_OPTIONS"] = "detect_leaks=0"
        self.addCleanup(self.world.environment.pop, "ASAN_OPTIONS")
        for certificate, key in (("none.pem", "server.key"), ("server.pem", "none.key"), ("garbage.pem", "server.key"),
                                 ("server.key", "server.pem"), ("server.pem", "other.key"), ("server.pem", "ca.pem"),
                                 ("server.pem", "locked.key"), ("folder", "server.key")):
            with self.subTest(certificate=certificate, key=key):
                process = self.world.start("serve", "--port", "0", *self.pair(certificate, key))
                out, err = process.communicate(timeout=60)
                self.assertNotIn(b"listening", out)
                self.assertIn(process.returncode, (2, 3), err)
                self.assertIn(b"error: ", err)
                bad = key if certificate == "server.pem" else certificate
                self.assertIn(bad.encode(), err)


if __name__ == "__main__":
    unittest.main()
