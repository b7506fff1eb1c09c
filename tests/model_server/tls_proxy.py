#!/usr/bin/python3
"""A TLS listener in front of a server on the loopback, with a certificate made for the occasion.

Usage: tls_proxy.py PORT FOLDER [HOST]

Makes FOLDER/certificate.pem (self-signed, for HOST, by default 127.0.0.1, by the `openssl`
command), prints `PORT n` and forwards what comes there to PORT until its standard input ends.
"""

import os
import re
import socket
import ssl
import subprocess
import sys
import threading


def make_certificate(folder, host):
    certificate = os.path.join(folder, "certificate.pem")
    key = os.path.join(folder, "key.pem")
    kind = "IP" if re.fullmatch(r"[0-9.]+", host) else "DNS"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                    "-subj", "/CN=vibecheck test", "-addext", f"subjectAltName={kind}:{host}"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return certificate, key


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(context, client, port):
    try:
        secure = context.wrap_socket(client, server_side=True)
    except OSError:  # the client did not trust it
        client.close()
        return
    server = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=pump, args=(server, secure), daemon=True).start()
    pump(secure, server)


def accept(context, listener, port):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(context, client, port), daemon=True).start()


def main(arguments):
    port, folder = int(arguments[0]), arguments[1]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make_certificate(folder, *(arguments[2:] or ["127.0.0.1"])))
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print("PORT", listener.getsockname()[1], flush=True)
    threading.Thread(target=accept, args=(context, listener, port), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
