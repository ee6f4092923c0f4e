"use strict";
(function () {
  document.documentElement.classList.add("script");
  const tip = document.getElementById("tip");
  const names = JSON.parse(document.getElementById("poet-methods").textContent);
  const boxes = Array.from(document.querySelectorAll(".methods input"));
  const hideable = Array.from(document.querySelectorAll(".plots [data-method], tbody tr[data-method]"));

  // Which methods are hidden: one choice for the whole page, kept when it is loaded again.
  const store = "poet-sweep-hidden " + location.pathname;
  let hidden = new Set();
  try { hidden = new Set(JSON.parse(sessionStorage.getItem(store) || "[]")); } catch (error) { hidden = new Set(); }
  function apply() {
    boxes.forEach(function (box) { box.checked = !hidden.has(names[box.dataset.method]); });
    hideable.forEach(function (part) { part.classList.toggle("off", hidden.has(names[part.dataset.method])); });
    document.querySelectorAll("svg[data-chart=sweep]").forEach(enter);
    try { sessionStorage.setItem(store, JSON.stringify(Array.from(hidden))); } catch (error) { return; }
  }
  boxes.forEach(function (box) {
    box.addEventListener("change", function () {
      const name = names[box.dataset.method];
      if (box.checked) hidden.delete(name); else hidden.add(name);
      apply();
    });
  });
  document.querySelectorAll(".methods button").forEach(function (button) {
    button.addEventListener("click", function () {
      hidden = new Set(button.dataset.show === "all" ? [] : names);
      apply();
    });
  });

  // What each point says, by its figure; the wide charts hold the texts.
  const texts = new Map();
  function key(mark) { return mark.closest("section").id + " " + mark.dataset.at; }
  document.querySelectorAll("[data-at] > title").forEach(function (title) {
    texts.set(key(title.parentNode), title.textContent.split("\n"));
    title.remove();
  });
  function visible(chart) {
    return Array.from(chart.querySelectorAll("[data-at]")).filter(function (mark) {
      return !mark.parentNode.classList.contains("off");
    });
  }
  function method(mark) { return mark.parentNode.dataset.method; }
  function apart(mark, x, y) { return Math.hypot(mark.dataset.x - x, mark.dataset.y - y); }

  function show(chart, mark) {
    const lines = (texts.get(key(mark)) || [names[method(mark)]]).slice();
    const same = visible(chart).filter(function (other) {
      return method(other) !== method(mark) && apart(other, mark.dataset.x, mark.dataset.y) < 3;
    }).map(function (other) { return names[method(other)]; });
    if (same.length) lines.push("also here: " + same.join(", "));
    tip.replaceChildren();
    lines.forEach(function (line, number) {
      const row = document.createElement(number ? "span" : "strong");
      row.textContent = line;
      tip.append(row);
    });
    tip.hidden = false;
    chart.classList.add("picked");
    chart.querySelectorAll("g[data-method]").forEach(function (group) {
      group.classList.toggle("near", group.dataset.method === method(mark));
    });
    const box = mark.getBoundingClientRect();
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(8, Math.min(box.right + 10, room)) + "px";
    const below = box.bottom + 10 + tip.offsetHeight < window.innerHeight;
    tip.style.top = Math.max(8, below ? box.bottom + 10 : box.top - tip.offsetHeight - 10) + "px";
  }
  function leave(chart) {
    tip.hidden = true;
    chart.classList.remove("picked");
  }
  function point(event) {
    const chart = event.currentTarget;
    const box = chart.getBoundingClientRect();
    const scale = chart.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = null;
    visible(chart).forEach(function (mark) {
      if (apart(mark, x, y) < 22 && (!best || apart(mark, x, y) <= apart(best, x, y))) best = mark;
    });
    if (best) show(chart, best); else leave(chart);
  }

  // One stop of the Tab key a chart; arrows move between its points.
  function enter(chart) {
    const marks = visible(chart);
    chart.querySelectorAll("[data-at]").forEach(function (mark) { mark.setAttribute("tabindex", "-1"); });
    if (marks.length) marks[0].setAttribute("tabindex", "0");
  }
  function beside(chart, mark, toward) {
    const row = visible(chart).filter(function (other) { return method(other) === method(mark); });
    return row[row.indexOf(mark) + toward];
  }
  function across(chart, mark, toward) {
    const marks = visible(chart).filter(function (other) { return Math.abs(other.dataset.x - mark.dataset.x) < 0.01; });
    marks.sort(function (a, b) { return a.dataset.y - b.dataset.y || method(a) - method(b); });
    return marks[marks.indexOf(mark) + toward];
  }
  function move(event) {
    const mark = event.target, chart = event.currentTarget;
    let next = null;
    if (event.key === "ArrowRight") next = beside(chart, mark, 1);
    else if (event.key === "ArrowLeft") next = beside(chart, mark, -1);
    else if (event.key === "ArrowDown") next = across(chart, mark, 1);
    else if (event.key === "ArrowUp") next = across(chart, mark, -1);
    else if (event.key === "Escape") return leave(chart);
    else return;
    event.preventDefault();
    if (!next) return;
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }
  document.querySelectorAll("svg[data-chart=sweep]").forEach(function (chart) {
    const title = chart.querySelector("title"), text = chart.querySelector("desc");
    chart.setAttribute("role", "group");
    chart.setAttribute("aria-label", title.textContent + ". Arrow keys move between points.");
    chart.removeAttribute("aria-labelledby");
    chart.setAttribute("aria-describedby", text.id);
    title.remove();
    chart.querySelectorAll("[data-at]").forEach(function (mark) {
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", (texts.get(key(mark)) || []).join(", "));
      mark.addEventListener("focus", function () { show(chart, mark); });
      mark.addEventListener("blur", function () { leave(chart); });
    });
    chart.addEventListener("keydown", move);
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("pointerleave", function () { leave(chart); });
  });
  window.addEventListener("scroll", function () { tip.hidden = true; }, { passive: true });
  apply();
})();
