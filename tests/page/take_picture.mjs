// The picture of the page for README.md.
//
// usage: take_picture.mjs <poet> <picture.png>
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const [program, picture] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "poet-page-"));
const server = await startServer(program, new URL("../../web/dist/", import.meta.url).pathname, join(folder, "store"));
const browser = await Browser.start("/usr/bin/chromium", server.address, folder);
try {
  await browser.open("/#/?model=resnet8&platform=m4&ram_budget=500000&runtime_budget=1.5&time_limit_s=30");
  await browser.click("#solve");
  await browser.see("Recomputed and paged", 120);
  const height = await browser.evaluate(() => document.querySelector("#schedule").getBoundingClientRect().top + scrollY + 560);
  await browser.page.setViewport({ width: 1180, height: Math.round(height), deviceScaleFactor: 1 });
  await browser.evaluate(() => scrollTo(0, 0));
  await browser.settle();
  const canvas = await browser.page.$("#matrix-canvas");
  const box = await canvas.boundingBox();
  await browser.page.mouse.move(box.x + box.width * 0.32, box.y + box.height * 0.42);
  await browser.settle();
  await browser.page.screenshot({ path: picture });
} finally {
  await browser.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
}
