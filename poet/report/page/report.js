"use strict";
(function () {
  document.documentElement.classList.add("script");
  const data = JSON.parse(document.getElementById("poet-data").textContent);
  const tip = document.getElementById("tip");

  // Figures, as the page writes them.
  function short(value) {
    const decimals = value >= 999.95 ? 0 : value >= 99.995 ? 1 : 2;
    return String(Number(value.toFixed(decimals)));
  }
  function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (value >= 1024 && unit < 4) { value /= 1024; unit += 1; }
    return (unit ? short(value) : value) + " " + units[unit];
  }
  function seconds(value) {
    if (value === 0) return "0 s";
    if (value >= 100) return short(value) + " s";
    const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
    for (const [factor, name] of units) if (value >= factor) return String(Number((value / factor).toFixed(3))) + " " + name;
    return short(value / 1e-9) + " ns";
  }

  const doing = ["computes", "recomputes", "reads", "writes"];
  const done = ["computed now", "recomputed", "read from storage", "written to storage"];
  const lying = ["", "in RAM", "in RAM, with a copy in storage", "in storage"];

  function subject(action) {
    return action[0] < 2 ? data.operations[action[1]] : data.tensors[action[1]][0];
  }
  function describe_action(number) {
    const action = data.actions[number];
    if (!action) return null;
    return [doing[action[0]] + " " + subject(action),
            bytes(action[3]) + " of RAM in use",
            "action " + action[6] + " of the plan, stage " + action[2],
            seconds(action[4]) + " to " + seconds(action[5])];
  }
  // Of several at one moment the last: the state that lasts.
  function action_at(time) {
    let best = 0;
    data.actions.forEach(function (action, number) { if (action[4] <= time) best = number; });
    return best;
  }
  function describe_cell(column, stage) {
    if (column < 0 || stage < 0 || column >= data.columns.length || stage >= data.stages) return null;
    const tensor = data.tensors[data.columns[column]];
    const run = data.runs.find(function (one) {
      return one[0] === column && one[1] <= stage && stage < one[2];
    });
    const marks = data.marks.filter(function (one) { return one[0] === column && one[1] === stage; });
    const states = marks.map(function (one) { return done[one[2]]; });
    states.push(run ? lying[run[3]] : "neither in RAM nor in storage");
    return [tensor[0] + ", " + bytes(tensor[1]), states.join("; "),
            "stage " + stage + (stage < data.operations.length ? ": " + data.operations[stage] : ", the end")];
  }
  function describe_working_set(number) {
    if (!(number in data.working_sets)) return null;
    return [data.operations[number], "needs " + bytes(data.working_sets[number]), "operation " + number];
  }

  function under(chart, x, y) {
    const side = chart.dataset;
    if (side.chart === "stages")
      return describe_cell(Math.floor((x - side.left) / side.cell), Math.floor((y - side.top) / side.cell));
    const along = (x - side.left) / (side.right - side.left);
    if (along < 0 || along >= 1 || y < side.top) return null;
    if (side.chart === "actions") return describe_action(Math.floor(along * side.end));
    if (side.chart === "seconds") return describe_action(action_at(along * side.end));
    return describe_working_set(Math.floor(along * side.end));
  }
  function show(event) {
    const chart = event.currentTarget;
    const box = chart.getBoundingClientRect();
    const scale = chart.viewBox.baseVal.width / box.width;
    const lines = under(chart, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    tip.hidden = !lines;
    if (!lines) return;
    tip.replaceChildren();
    lines.forEach(function (line, number) {
      const row = document.createElement(number ? "span" : "strong");
      row.textContent = line;
      tip.append(row);
    });
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, room)) + "px";
    const below = event.clientY + 16 + tip.offsetHeight < window.innerHeight;
    tip.style.top = (below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 12) + "px";
  }
  document.querySelectorAll("svg[data-chart]").forEach(function (chart) {
    chart.addEventListener("pointermove", show);
    chart.addEventListener("pointerdown", show);
    chart.addEventListener("pointerleave", function () { tip.hidden = true; });
  });

  const table = document.getElementById("extra");
  if (table) {
    const rows = Array.from(table.tBodies[0].rows);
    const heads = Array.from(table.tHead.rows[0].cells);
    const filter = document.getElementById("extra-filter");
    const kind = document.getElementById("extra-kind");
    const count = document.getElementById("extra-count");
    const key = function (row, column) { return row.cells[column].dataset.key; };
    heads.forEach(function (head, column) {
      head.firstElementChild.addEventListener("click", function () {
        const before = head.getAttribute("aria-sort");
        const numbers = head.classList.contains("number");
        const down = before ? before === "ascending" : numbers;
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort(function (a, b) {
          const x = key(a, column), y = key(b, column);
          const order = numbers ? x - y : x.localeCompare(y, "en", { numeric: true });
          return down ? -order : order;
        });
        table.tBodies[0].append(...rows);
      });
    });
    const choose = function () {
      const part = filter.value.trim().toLowerCase();
      let shown = 0;
      rows.forEach(function (row) {
        row.hidden = !(row.cells[1].textContent.toLowerCase().includes(part) &&
                       (!kind.value || row.dataset.kind === kind.value));
        if (!row.hidden) shown += 1;
      });
      count.textContent = shown === rows.length ? rows.length + " rows" : shown + " of " + rows.length + " rows";
    };
    filter.addEventListener("input", choose);
    kind.addEventListener("change", choose);
  }
})();
