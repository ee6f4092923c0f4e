// A real `poet serve` on a free port of this machine, with a store of its own.
import { spawn } from "node:child_process";

export async function startServer(program, page, store, ...more) {
  // One job at a time, on whatever machine: the others wait.
  const child = spawn(program, ["serve", "--port", "0", "--jobs", "1", "--page", page, "--store", store, ...more], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const ended = new Promise((done) => child.once("exit", done));
  const address = await new Promise((found, failed) => {
    const hear = (text) => {
      said += text;
      const line = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (line) found(line[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    ended.then((code) => failed(new Error(`poet serve ended with ${code}: ${said}`)));
  });
  return {
    address,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
