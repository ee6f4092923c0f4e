// Drives the page in Chromium on a real `poet serve`, as a user would: upload, ask, watch, look, download. Screenshots
// are left in the folder for people.
//
// usage: page_test.mjs <poet> <folder for what it makes>
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startServer } from "./server.mjs";

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
const page = new URL("../../web/dist/", import.meta.url).pathname;

// As GoogleTest says it, which is how the summary of scripts/check finds the reason.
function skip(reason) {
  console.log(`page_test.mjs:0: Skipped\n${reason}\n\n[  SKIPPED ] page`);
  process.exit(77);
}
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromium) skip("there is no Chromium");
if (!existsSync(join(page, "index.html"))) skip("scripts/build-page has not been run");
// Not before: it needs what scripts/build-page installs.
const { Browser } = await import("./browser.mjs");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

// A small network as an ONNX file, by the project's own writer.
function makeNetwork() {
  const run = (...args) => execFileSync(program, args, { cwd: folder, stdio: "pipe" });
  const network = ["--model", "lenet5", "--image-size", "16"];
  run("train", ...network, "--batch-size", "2", "--steps", "1", "--checkpoint", "learnt");
  run("export", "onnx", ...network, "--checkpoint", "learnt", "--out", "small.onnx");
  return join(folder, "small.onnx");
}

const checks = [];
const check = (name, run) => checks.push({ name, run });

check("a network is uploaded and chosen", async ({ browser, network }) => {
  await browser.open("/");
  await browser.see("Train in the memory that a device has");
  await browser.shot("ask");
  await browser.upload("#onnx-file", network);
  await browser.see("small.onnx was read");
  assert.equal(await browser.text("#limits-title"), "small.onnx on m4");
});

check("what is no network is refused with the server's sentence", async ({ browser }) => {
  await browser.upload("#onnx-file", new URL(import.meta.url).pathname);
  const sentence = await browser.text(".drop .trouble");
  assert.match(sentence, /page_test\.mjs|ONNX|model/);
});

check("the form follows the keyboard", async ({ browser }) => {
  await browser.focus("#budget");
  const before = await browser.attribute("#budget", "aria-valuetext");
  for (let i = 0; i < 30; ++i) await browser.press("ArrowRight");
  assert.notEqual(await browser.attribute("#budget", "aria-valuetext"), before);
  await browser.type("#budget-text", "much");
  await browser.see("not a size");
  await browser.type("#budget-text", "40%way");
  await browser.see("40 % of the way");
  await browser.press("Tab");
  const budget = await browser.text(".limit-head output");
  await browser.type("#budget-text", "1e30");
  await browser.press("Tab");
  assert.equal(await browser.text(".limit-head output"), budget, "the 1 of 1e30 is no budget");
  assert.ok(await browser.evaluate(() => document.querySelector("#solve").disabled), "what is no size is not asked");
  await browser.type("#budget-text", "34KiB");  // in which operations are computed again
  assert.deepEqual(await browser.complaints(), []);
});

check("devices are named, with their figures", async ({ browser }) => {
  await browser.see("Nordic nRF52840");
  await browser.click(".devices + details summary");
  assert.match(await browser.text(".devices + details table"), /ram\.size\s+256 KiB\s+Nordic/);
});

check("a plan is asked for, and its search is watched", async ({ browser, memory }) => {
  await browser.press("Tab");
  await browser.focus("#solve");
  await browser.press("Enter");
  await browser.waitFor(() => location.hash.startsWith("#/plans/"));
  memory.plan = (await browser.evaluate(() => location.hash)).replace("#/plans/", "");
  await browser.see("Take it with you", 120);
  assert.match(await browser.text(".verdict h2"), /Proved best|Best, by|The best that was found/);
});

check("RAM over the step answers pointer and keys", async ({ browser }) => {
  await browser.see("RAM over the step");
  const read = () => browser.text(".readout p");
  await browser.hover("#ram-chart", 0.3, 0.5);
  const there = await read();
  assert.match(there, /stage \d+ .* in use, .* of the budget/);
  await browser.focus("#ram-chart");
  await browser.press("Home");
  const first = await read();
  await browser.press("ArrowRight");
  assert.notEqual(await read(), first);
  await browser.click("input[name=ram-by]:not(:checked)");
  await browser.see("everything else");
  await browser.click("input[name=ram-across]:not(:checked)");
  await browser.click("input[name=ram-across]:not(:checked)");
});

check("a cell of the schedule says what is there and why", async ({ browser }) => {
  await browser.hover("#matrix-canvas", 0.4, 0.5);
  assert.match(await browser.text("#cell-tip"), /Stage \d+, .*: (nowhere|in RAM|in storage|in RAM and storage)/);
  await browser.focus("#matrix-canvas");
  const seen = new Set();
  await browser.press("Home");
  for (let i = 0; i < 12; ++i) {
    await browser.press(i % 2 ? "ArrowRight" : "ArrowDown");
    seen.add(await browser.text("#cell-tip"));
  }
  assert.ok(seen.size > 10, "arrow keys move from cell to cell");
  const before = await browser.text("#cell-tip");
  for (const key of ["+", "+", "+", "-"]) await browser.press(key);
  assert.equal(await browser.text("#cell-tip"), before, "zooming keeps the cell");
  await browser.wheel("#matrix-canvas", 0.5, 0.5, -600);
  await browser.shot("zoomed");
  await browser.press("0");
  await browser.press("Escape");
});

check("the reason stands where something is paged or recomputed", async ({ browser }) => {
  await browser.click("tbody details summary");
  assert.match(await browser.text("tbody details .why"), /is absent in stages? \d+/);
  await browser.click("tbody button.quiet");
  assert.match(await browser.text("#cell-tip"), /Stage/);
});

check("plan and report are downloaded, and the plan holds", async ({ browser, memory }) => {
  const plan = await browser.download("#download-plan", folder);
  const report = await browser.download("#download-report", folder);
  assert.match(readFileSync(report, "utf8"), /<html/);
  const verified = execFileSync(program, ["verify", plan], { encoding: "utf8" });
  assert.match(verified, /valid: every rule is kept/);
  memory.verified = verified;
});

check("the figures are those of the verifier", async ({ browser, memory }) => {
  const energy = /energy\s+([\d.]+) J/.exec(memory.verified)[1];
  const shown = await browser.text(".facts .fact:nth-child(2) .value");
  const [number, unit] = shown.split(" ");
  const factor = { nJ: 1e-9, µJ: 1e-6, mJ: 1e-3, J: 1, kJ: 1e3 }[unit];
  assert.ok(Math.abs(Number(number) * factor - Number(energy)) <= 6e-4 * Number(energy), `${shown}, but ${energy} J`);
});

check("other methods are compared", async ({ browser }) => {
  await browser.click("#draw-curve");
  await browser.see("The dotted line is what no schedule can save", 300);
  await browser.see("poet-own-step is the best that was planned there or in less RAM");
  assert.match(await browser.attribute("#trade-off svg[role=img]", "aria-label"), /poet: from .* in .*B to /);
  const words = await browser.evaluate(() =>
    [...document.querySelectorAll("#trade-off svg.chart text")].map((one) => one.textContent),
  );
  assert.ok(words.filter((text) => /B$/.test(text)).length > 1, "the axis has ticks");
  assert.ok(words.includes("this plan"));
});

check("a comparison has a page of its own", async ({ browser, memory }) => {
  const id = await browser.evaluate(async () => (await (await fetch("/v1/plans?kind=curve")).json()).plans[0].id);
  await browser.open(`/#/plans/${id}`);
  await browser.see("Methods compared: small.onnx");
  await browser.see("The dotted line is what no schedule can save");
  assert.doesNotMatch(await browser.text("main"), /unlimited|Energy of a step/);
  assert.deepEqual(await browser.complaints(), []);
  await browser.open(`/#/plans/${memory.plan}`);
});

check("the page can be reloaded, light, dark and on a small screen", async ({ browser }) => {
  await browser.reload();
  await browser.see("The schedule");
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("plan-light");
  await browser.look({ dark: true });
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("plan-dark");
  await browser.look({ dark: true, width: 360 });
  assert.equal(await browser.evaluate(() => document.documentElement.scrollWidth), 360, "nothing is wider than 360 px");
  await browser.shot("plan-small");
  await browser.open("/");
  await browser.see("RAM budget");
  assert.equal(await browser.evaluate(() => document.documentElement.scrollWidth), 360);
  await browser.shot("ask-small");
  const wide = await browser.evaluate((name) => {
    for (const title of document.querySelectorAll("#limits-title, .choice strong")) title.textContent = name;
    return [...document.querySelectorAll("html, .choices")].filter((one) => one.scrollWidth > one.clientWidth).length;
  }, "0123456789abcdef".repeat(4));
  assert.equal(wide, 0, "a name without a place to end a line breaks where it has to");
  await browser.look({ dark: false, width: 1280 });
});

check("the switch of colours holds", async ({ browser }) => {
  const paper = () => browser.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await browser.click(".top .segments label:last-of-type input");
  assert.notEqual(await paper(), light);
  await browser.reload();
  assert.notEqual(await paper(), light);
  await browser.click(".top .segments label:first-of-type input");
});

check("earlier plans are listed", async ({ browser, memory }) => {
  await browser.open("/#/plans");
  await browser.see("small.onnx");
  assert.ok(await browser.evaluate((id) => document.querySelector(`a[href="#/plans/${id}"]`) !== null, memory.plan));
});

check("how a network is trained can be chosen", async ({ browser }) => {
  await browser.open("/#/?model=lenet5&platform=m4&time_limit_s=20");
  await browser.see("What is trained");
  const whole = await browser.text(".slider-ends span:last-child");
  await browser.choose("#part", "last:");
  await browser.choose("#loss", "mean-squared-error");
  await browser.choose("#updates", "sliced");
  await browser.type("#part-count", "2");
  await browser.press("Tab");
  await browser.waitFor(() => document.querySelector("#solve"));
  await browser.see("keeps everything");
  assert.notEqual(await browser.text(".slider-ends span:last-child"), whole, "less is trained, so less is kept");
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("trained-part");
  await browser.click("#solve");
  await browser.see("trains last:2 · loss mean-squared-error · sliced updates");
  await browser.see("Take it with you", 120);
});

check("a pattern that is none is refused with the server's sentence", async ({ browser }) => {
  await browser.open("/#/?model=lenet5&platform=m4");
  await browser.see("What is trained");
  await browser.choose("#part", "regex:");
  await browser.type("#part-pattern", "nobody-has-this-name");
  await browser.press("Tab");
  assert.match(await browser.text(".ask-limits .trouble"), /nobody-has-this-name/);
});

check("the board's stack counts where the budget begins", async ({ browser }) => {
  await browser.open("/#/?model=lenet5&platform=m4&batch_size=6&train=bias");
  await browser.see("m4 holds 247 KiB");
  assert.equal(await browser.text(".limit-head output"), "247 KiB");
  await browser.type("#budget-text", "256KiB");
  await browser.see("That is more than the board can give: m4 has 256 KiB");
});

check("proved best is amber where the board cannot hold it", async ({ browser }) => {
  await browser.open("/#/?model=lenet5&platform=m4&ram_budget=9000000");
  await browser.click("#solve");
  await browser.see("Proved best, but m4 cannot hold it", 120);
  await browser.see("which stack and other data of a program leave 247 KiB");
  await browser.see("planned again in the 247 KiB");
  const colour = (name) => browser.evaluate((of) => getComputedStyle(document.querySelector(of)).color, name);
  const amber = await colour(".verdict h2");
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("beyond");
  await browser.look({ dark: true });
  assert.notEqual(await colour(".verdict h2"), amber);
  assert.deepEqual(await browser.complaints(), []);
  await browser.look({ dark: false });
  await browser.open("/#/plans");
  await browser.see("too large for it");
  assert.equal(await colour(".chip.beyond"), amber);
});

check("names do not break inside words, however narrow the window", async ({ browser, memory }) => {
  for (const width of [360, 700, 1280]) {
    await browser.look({ dark: false, width });
    await browser.open("/#/?model=resnet18_cifar&platform=m4");
    await browser.see("RAM budget");
    assert.deepEqual(await browser.brokenWords(".choice strong, h2"), []);
    await browser.open("/#/plans");
    await browser.see("small.onnx");
    assert.deepEqual(await browser.brokenWords("h1, .plan-name"), []);
    await browser.open(`/#/plans/${memory.plan}`);
    await browser.see("Recomputed and paged");
    assert.deepEqual(await browser.brokenWords("h1, h2, .readout, th, td:not(:has(.why)), .fact"), []);
  }
  await browser.look({ dark: false });
});

check("an impossible budget is answered with why and what would do", async ({ browser }) => {
  await browser.open("/#/?model=lenet5&platform=m4&ram_budget=1000");
  await browser.click("#solve");
  await browser.see("No schedule was found", 60);
  assert.match(await browser.text(".verdict"), /1,000 bytes/);
  assert.match(
    await browser.text(".verdict"),
    /schedules that may recompute and page, with updates by slices of 1 weight/,
  );
  await browser.shot("infeasible");
  await browser.click(".verdict .button");
  await browser.waitFor(() => location.hash.startsWith("#/?model=lenet5"));
});

check("a long search is cancelled and keeps its best", async ({ browser }) => {
  await browser.open("/#/?model=resnet8&platform=m4&batch_size=2&ram_budget=569773&parts=whole&updates=separate&time_limit_s=300");
  await browser.click("#solve");
  await browser.see("Stop, keep the best so far", 120);
  assert.match(await browser.attribute("figure svg", "aria-label"), /^After .*best so far .*J/);
  await browser.shot("running");
  const running = await browser.evaluate(() => location.hash);

  // The one place is taken: who asks now waits, and is told why.
  await browser.open("/#/?model=lenet5&platform=m4&ram_budget=1000&time_limit_s=7");
  await browser.click("#solve");
  await browser.see("It waits for its turn");
  assert.match(await browser.text("#why-it-waits"), /the next/);
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("waiting");
  const waiting = await browser.evaluate(() => location.hash);
  await browser.open("/#/plans");
  await browser.see("waits");

  await browser.open(`/${running}`);
  await browser.see("Stop, keep the best so far");
  await browser.click("#cancel");
  await browser.see("The best until it was cancelled", 60);
  await browser.open(`/${waiting}`);
  await browser.see("No schedule was found");
});

const idOf = (name) => createHash("sha256").update(name).digest("hex");

check("a training is followed while it runs, and seen to die", async ({ browser }) => {
  await browser.open("/#/trainings");
  await browser.see("No training has written its progress");
  const words = ["--model", "digits-mlp", "--batch-size", "4", "--examples", "64", "--test-examples", "16"];
  const training = spawn(
    program,
    ["train", ...words, "--quiet", "--no-replan", "--steps", "100000000", "--evaluate-every", "5000", "--ram-budget", "90%"].concat([
      "--cache", "plans", "--checkpoint", "run.ckpt", "--checkpoint-every", "20000", "--progress", "runs/live.jsonl"]),
    { cwd: folder, stdio: "ignore" },
  );
  const ended = new Promise((done) => training.once("exit", done));
  try {
    await browser.see("live.jsonl", 60);
    assert.match(await browser.text(".chip"), /planning|training/);
    await browser.click(".plans a");
    await browser.see("It trains", 60);
    await browser.see("Time of a step");
    assert.match(await browser.text(".verdict"), /Step [\d,]+ of 100,000,000.*about .* left/s);
    assert.match(await browser.text(".of-training"), /of the budget of .*B; keeping everything takes/);
    assert.match(await browser.text(".of-training"), /times the predicted/);
    await browser.see("loss on the test data", 60);
    const before = await browser.text(".verdict");
    await browser.waitFor(() => document.querySelectorAll("#loss-chart .series-line").length === 2);
    await new Promise((next) => setTimeout(next, 1200));
    assert.notEqual(await browser.text(".verdict"), before, "it goes on by itself");
    await browser.focus("#loss-chart");
    const shown = await browser.text("figure .chart-readout");
    await browser.press("Home");
    const first = await browser.text("figure .chart-readout");
    assert.match(first, /^Step 1: loss of the steps [\d.]+/);
    assert.notEqual(first, shown);
    assert.deepEqual(await browser.complaints(), []);
    await browser.shot("training");
  } finally {
    training.kill("SIGKILL");
    await ended;
  }
  await browser.see("It died", 30);
  await browser.open("/#/trainings");
  await browser.see("died");
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("trainings");
});

check("what a hostile file says is shown as text", async ({ browser }) => {
  const name = "<img src=x onerror=alert(1)>.jsonl";
  const begin = { event: "begin", format: "poet-progress", version: 1, at_unix_s: 1, model: "<script>alert(2)</script>", command: "<b>x</b>", locked: true };
  const path = join(folder, "runs", name);
  writeFileSync(path, `${JSON.stringify(begin)}\n{"event": "step", "step": 4611686018427387904, "loss": 1e308, "step_s": -1e300}\n`);
  appendFileSync(path, `{"event": "step", "step": 1, "loss": 2}\n{"event": "${"x".repeat(5000)}"}\n`);
  appendFileSync(path, '{"event": "end", "state": "<i>", "why": "<img src=x onerror=alert(3)>"}\n');
  await browser.open("/#/trainings");
  await browser.see(name);
  await browser.look({ dark: false, width: 360 });
  await browser.open(`/#/trainings/${idOf(name)}`);
  await browser.see("It came to nothing");
  await browser.see("<script>alert(2)</script>");
  await browser.see("<img src=x onerror=alert(3)>");
  assert.equal(await browser.evaluate(() => document.querySelectorAll("main img, main script, main b").length), 0);
  assert.equal(await browser.evaluate(() => document.documentElement.scrollWidth), 360, "nothing is wider than 360 px");
  await browser.open(`/#/trainings/${idOf("live.jsonl")}`);
  await browser.see("It died");
  assert.equal(await browser.evaluate(() => document.documentElement.scrollWidth), 360, "nothing is wider than 360 px");
  await browser.look({ dark: true, width: 360 });
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("training-small");
  await browser.look({ dark: false, width: 1280 });
  await browser.open(`/#/trainings/${"0".repeat(64)}`);
  await browser.see("there is no such training", 60);
});

check("a trace is drawn, and answers pointer, wheel and keys", async ({ browser }) => {
  const words = ["--model", "lenet5", "--image-size", "16", "--batch-size", "4", "--examples", "64", "--test-examples", "0"];
  execFileSync(program, ["train", ...words, "--quiet", "--ram-budget", "70%", "--steps", "3", "--cache", "plans", "--trace", "trace.json"], {
    cwd: folder,
    stdio: "pipe",
  });
  await browser.open("/#/trace");
  await browser.upload("#trace-file", new URL(import.meta.url).pathname);
  await browser.see("This is no trace");
  await browser.upload("#trace-file", join(folder, "trace.json"));
  await browser.see("Added up");
  assert.match(await browser.text("table"), /computed\s+.*s in \d+/);
  await browser.focus("#trace-canvas");
  await browser.press("ArrowRight");
  await browser.press("ArrowDown");
  await browser.press("ArrowDown");
  assert.match(await browser.text("#slice-tip"), /computed, predicted: .*s, from .* on/);
  await browser.press("ArrowDown");
  assert.match(await browser.text("#slice-tip"), /computed( again)?, measured: .*predicted: /s);
  await browser.press("ArrowDown");
  assert.match(await browser.text("#slice-tip"), /(read from|written to) storage, predicted: .*B moved/s);
  const found = new Set();
  for (let i = 0; i < 12; ++i) {
    await browser.press("ArrowRight");
    found.add(await browser.text("#slice-tip"));
  }
  assert.ok(found.size > 8, "arrow keys go along a track");
  assert.ok([...found].some((text) => /waits for/.test(text)), "what waits is named");
  const pixels = () => browser.evaluate(() => document.querySelector("#trace-canvas").toDataURL());
  const before = await pixels();
  for (const key of ["+", "+", "+"]) await browser.press(key);
  assert.notEqual(await pixels(), before, "plus enlarges");
  await browser.wheel("#trace-canvas", 0.5, 0.5, -400);
  await browser.hover("#trace-canvas", 0.5, 0.16);
  await browser.shot("trace-zoomed");
  await browser.press("0");
  await browser.press("Escape");
  await browser.settle();
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("trace");
  await browser.look({ dark: true, width: 360 }); // which begins the page anew
  await browser.upload("#trace-file", join(folder, "trace.json"));
  await browser.see("Added up");
  assert.equal(await browser.evaluate(() => document.documentElement.scrollWidth), 360, "nothing is wider than 360 px");
  assert.deepEqual(await browser.complaints(), []);
  await browser.shot("trace-small");
  await browser.look({ dark: false, width: 1280 });
});

check("addresses that are none say so", async ({ browser }) => {
  await browser.open("/#/nowhere");
  await browser.see("There is nothing here");
  await browser.open(`/#/plans/${"0".repeat(64)}`);
  await browser.see("Ask for a plan");
});

const network = makeNetwork();
const runs = join(folder, "runs");
mkdirSync(runs);
const server = await startServer(program, page, join(folder, "store"), "--trainings", runs);
const browser = await Browser.start(chromium, server.address, folder);
const memory = {};
let failed = 0;
try {
  for (const { name, run } of checks) {
    try {
      await run({ browser, network, memory });
      assert.deepEqual(browser.troubles(), [], "nothing is logged as an error");
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
      await browser.shot(`failed-${failed}`);
    }
  }
} finally {
  await browser.stop();
  await server.stop();
}
console.log(failed === 0 ? "The page works." : `${failed} of ${checks.length} checks failed.`);
process.exit(failed === 0 ? 0 : 1);
