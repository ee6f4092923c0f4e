import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

// The folder of the package that a module belongs to, or nothing for our own.
function packageFolder(module: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.split("?")[0] ?? "")?.[1];
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

// Collects the licences of every package of which something ends in the page, into notices.txt beside it.
export function notices(): Plugin {
  return {
    name: "notices",
    apply: "build",
    generateBundle() {
      const folders = new Set<string>();
      for (const module of this.getModuleIds()) {
        const folder = packageFolder(module);
        if (folder) folders.add(folder);
      }
      const line = `\n${"-".repeat(78)}\n\n`;
      const intro = "This page contains parts of the following packages, under the licences that follow.\n";
      this.emitFile({
        type: "asset",
        fileName: "notices.txt",
        source: intro + line + [...folders].sort().map(notice).join(line),
      });
    },
  };
}
