// The protocol's own server of examples on a free port of the loopback, for tests: prints `PORT n`
// when it listens, ends with its standard input. What it says itself goes to standard error.
import { createServer, connect } from "node:net";

const port = await new Promise((found) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = probe.address();
    probe.close(() => found(free));
  });
});
process.env.PORT = String(port);
const say = console.log;
console.log = console.error;
await import("@modelcontextprotocol/server-everything/dist/transports/streamableHttp.js");
const look = () => connect(port, "127.0.0.1")
  .on("connect", function connected() { this.destroy(); say(`PORT ${port}`); })
  .on("error", () => setTimeout(look, 20));
look();
process.stdin.resume().on("end", () => process.exit(0));
