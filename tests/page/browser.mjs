// Chromium as a user handles it: every step waits for what it is about.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const second = 1000;

export class Browser {
  static async start(executablePath, address, folder) {
    const browser = new Browser();
    browser.address = address;
    browser.folder = folder;
    browser.errors = [];
    browser.chromium = await puppeteer.launch({
      executablePath,
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    });
    browser.page = await browser.chromium.newPage();
    browser.page.setDefaultTimeout(60 * second);
    browser.page.on("pageerror", (error) => browser.errors.push(error.message));
    browser.page.on("console", (line) => {
      // A refusal that the page shows is logged by Chromium as well.
      if (line.type() === "error" && !/status of 4\d\d/.test(line.text())) browser.errors.push(line.text());
    });
    await browser.page.setRequestInterception(true);
    browser.page.on("request", (request) => {
      const ours = request.url().startsWith(address) || request.url().startsWith("blob:");
      if (!ours) browser.errors.push(`asks for ${request.url()}`);
      request.continue();
    });
    const session = await browser.page.createCDPSession();
    await session.send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
    await browser.look({ dark: false, width: 1280 });
    return browser;
  }

  async look({ dark, width = 1280 }) {
    await this.page.setViewport({ width, height: 900, deviceScaleFactor: 1, hasTouch: width < 500 });
    await this.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
    await this.settle();
  }

  // Until what was asked for has been drawn.
  async settle() {
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))),
    );
  }

  // A mere change of what stands behind # is no navigation, so the page is left first.
  async open(path) {
    await this.page.goto("about:blank");
    await this.page.goto(this.address + path, { waitUntil: "load" });
  }
  async reload() {
    await this.page.reload({ waitUntil: "load" });
  }

  async see(words, seconds = 60) {
    await this.page.waitForFunction(
      (text) => document.body.innerText.includes(text),
      { timeout: seconds * second },
      words,
    );
    await this.settle();
  }
  waitFor(condition, seconds = 60) {
    return this.page.waitForFunction(condition, { timeout: seconds * second });
  }
  evaluate(run, ...values) {
    return this.page.evaluate(run, ...values);
  }

  async text(selector) {
    await this.settle();
    const element = await this.page.waitForSelector(selector);
    return element.evaluate((one) => one.innerText.trim());
  }
  async attribute(selector, name) {
    const element = await this.page.waitForSelector(selector);
    return element.evaluate((one, which) => one.getAttribute(which), name);
  }

  async click(selector) {
    const element = await this.page.waitForSelector(selector);
    await element.evaluate((one) => one.scrollIntoView({ block: "center" }));
    await this.settle();
    await element.click();
    await this.settle();
  }
  async focus(selector) {
    const element = await this.page.waitForSelector(selector);
    await element.evaluate((one) => one.focus()); // of SVG as well
  }
  async press(key) {
    await this.page.keyboard.press(key);
    await this.settle();
  }
  async type(selector, text) {
    await this.focus(selector);
    await this.page.$eval(selector, (input) => input.select());
    await this.page.keyboard.type(text);
    await this.settle();
  }

  async pointAt(selector, across, down) {
    const element = await this.page.waitForSelector(selector);
    await element.evaluate((one) => one.scrollIntoView({ block: "center" }));
    await this.settle();
    const box = await element.boundingBox();
    return [box.x + box.width * across, box.y + box.height * down];
  }
  async hover(selector, across, down) {
    const [x, y] = await this.pointAt(selector, across, down);
    await this.page.mouse.move(x, y);
    await this.settle();
  }
  async wheel(selector, across, down, deltaY) {
    await this.hover(selector, across, down);
    await this.page.mouse.wheel({ deltaY });
    await this.settle();
  }

  async choose(selector, value) {
    await this.page.waitForSelector(selector);
    await this.page.select(selector, value);
    await this.settle();
  }

  // Words that end a line and go on in the next, in all that a selector finds: "resnet1|8".
  brokenWords(selector) {
    return this.page.$$eval(selector, (elements) => {
      const broken = [];
      const top = (node, at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const [box] = range.getClientRects();
        return box ? box.top + box.height / 2 : null;
      };
      for (const element of elements) {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const text = node.data;
          for (let at = 1; at < text.length; ++at) {
            if (!/[A-Za-z0-9]/.test(text[at - 1]) || !/[A-Za-z0-9]/.test(text[at])) continue;
            const [before, after] = [top(node, at - 1), top(node, at)];
            if (before !== null && after !== null && after > before + 4)
              broken.push(`${text.slice(Math.max(0, at - 20), at)}|${text.slice(at, at + 20)}`);
          }
        }
      }
      return broken;
    });
  }

  async upload(selector, file) {
    const input = await this.page.waitForSelector(selector);
    await input.uploadFile(file);
  }

  // Clicks, and waits for a file that was not there before.
  async download(selector, folder) {
    const before = new Set(readdirSync(folder));
    await this.click(selector);
    for (let tries = 0; tries < 600; ++tries) {
      const made = readdirSync(folder).find(
        (name) => !before.has(name) && /^poet-/.test(name) && !/\.crdownload$/.test(name),
      );
      if (made) return join(folder, made);
      await new Promise((next) => setTimeout(next, 100));
    }
    throw new Error(`${selector}: no file came`);
  }

  async shot(name) {
    await this.settle();
    await this.page.screenshot({ path: join(this.folder, `${name}.png`), fullPage: true });
  }

  // What someone who does not see or point could not use, one line each.
  async complaints() {
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(axe);
    const found = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.target).join(", ")}`);
  }

  troubles() {
    const all = this.errors;
    this.errors = [];
    return all;
  }

  async stop() {
    await this.chromium.close();
  }
}
