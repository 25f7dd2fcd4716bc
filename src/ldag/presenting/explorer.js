// @ts-check
// The explorer of a network: click states, watch edges vanish and marginals move. Nothing is fetched, nothing is sent.
//
// The circuit: gate 0 is zero, gate 1 is one, then the inputs, then sums of products of two earlier gates.
// An input is a parameter of a node's state; it counts while the evidence allows the state. One pass up gives
// P(evidence), one pass down its derivative by every input, and with both all marginals.
"use strict";

/**
 * @typedef {{inputs: {node: number[], state: number[], parameter: number[]}, parameters: number[],
 *   sums: {first: number[], a: number[], b: number[]}, root: number}} Circuit
 * @typedef {{parent: number, child: number, others: number[], label: string | null}} Edge
 * @typedef {{name: string, states: string[], latent: boolean}} Variable
 * @typedef {number | number[]} Step a class, or a parent and where each of its states leads (-1: it cannot be any more)
 * @typedef {{steps: Step[], table: number[][]}} Tree
 * @typedef {{title: string, variables: Variable[], edges: Edge[], trees: Object<number, Tree>, circuits: Circuit[], weights: number[], why: string}} Model
 * @typedef {{state: number, isSet: boolean}} Finding
 * @typedef {Map<number, Finding>} Findings
 */

/** On a narrow screen the graph shrinks so far, and then scrolls. */
const LEAST_SCALE = 0.62;

/** Evaluate a circuit: the probability of what is observed, and its share with every state of every variable.
 * @param {Circuit} circuit
 * @param {Findings} findings
 * @param {number} weight
 * @param {number[][]} joint what is added to
 * @returns {number}
 */
function addUp(circuit, findings, weight, joint) {
  const { node, state, parameter } = circuit.inputs;
  const { first, a, b } = circuit.sums;
  const firstSum = 2 + node.length;
  const up = new Float64Array(firstSum + first.length - 1);
  up[1] = 1;
  for (let i = 0; i < node.length; i++) {
    const finding = findings.get(node[i]);
    const value = finding && finding.isSet ? 1 : circuit.parameters[parameter[i]];
    up[2 + i] = finding && finding.state !== state[i] ? 0 : value;
  }
  for (let sum = 0; sum + 1 < first.length; sum++) {
    let total = 0;
    for (let t = first[sum]; t < first[sum + 1]; t++) total += up[a[t]] * up[b[t]];
    up[firstSum + sum] = total;
  }
  const down = new Float64Array(up.length);
  down[circuit.root] = weight;
  for (let sum = first.length - 2; sum >= 0; sum--) {
    const above = down[firstSum + sum];
    if (above === 0) continue;
    for (let t = first[sum]; t < first[sum + 1]; t++) {
      down[a[t]] += above * up[b[t]];
      down[b[t]] += above * up[a[t]];
    }
  }
  for (let i = 0; i < node.length; i++) joint[node[i]][state[i]] += up[2 + i] * down[2 + i];
  return weight * up[circuit.root];
}

/** Evaluate the circuits, one for each network: all marginals, and the probability of what is observed.
 * @param {Model} model
 * @param {Findings} findings
 * @returns {{probability: number, marginals: number[][]} | null} null if there are none
 */
function evaluate(model, findings) {
  if (!model.circuits.length) return null;
  const marginals = model.variables.map((variable) => variable.states.map(() => 0));
  let probability = 0;
  model.circuits.forEach((circuit, number) => {
    probability += addUp(circuit, findings, model.weights[number], marginals);
  });
  for (const row of marginals) {
    const total = row.reduce((sum, p) => sum + p, 0);
    for (let s = 0; s < row.length; s++) row[s] = total > 0 ? row[s] / total : NaN;
  }
  return { probability, marginals };
}

/** Whether an edge vanishes: its label has every configuration of the other parents that agrees with the findings.
 * @param {Model} model
 * @param {Edge} edge
 * @param {Findings} findings
 */
function vanishes(model, edge, findings) {
  const child = findings.get(edge.child);
  if (child && child.isSet) return true;
  const tree = model.trees[edge.child];
  if (tree) return findings.size > 0 && !matters(tree.steps, 0, edge.parent, findings);
  if (!edge.label || !edge.others.some((other) => findings.has(other))) return false;
  for (let cell = 0; cell < edge.label.length; cell++) {
    let rest = cell;
    let agrees = true;
    for (let k = edge.others.length - 1; k >= 0; k--) {
      const n = model.variables[edge.others[k]].states.length;
      const finding = findings.get(edge.others[k]);
      if (finding && finding.state !== rest % n) agrees = false;
      rest = Math.floor(rest / n);
    }
    if (agrees && edge.label[cell] !== "1") return false;
  }
  return true;
}

/** Where a question leads, by the state that is known, or by each that is possible.
 * @param {number[]} step
 * @param {Findings} findings
 * @returns {number[]}
 */
function followers(step, findings) {
  const finding = findings.get(step[0]);
  const places = finding ? [step[finding.state + 1]] : step.slice(1);
  return [...new Set(places)].filter((place) => place >= 0);
}

/** Whether what a parent is makes a difference below a place of a tree.
 * @param {Step[]} steps
 * @param {number} place
 * @param {number} parent
 * @param {Findings} findings
 * @returns {boolean}
 */
function matters(steps, place, parent, findings) {
  const todo = [place];
  while (todo.length) {
    const step = steps[/** @type {number} */ (todo.pop())];
    if (typeof step === "number") continue;
    if (step[0] !== parent) todo.push(...followers(step, findings));
    else if (step.slice(1).some((_, state) => differ(steps, step, state, findings))) return true;
  }
  return false;
}

/** Whether a question's first state and another can come to different classes, whatever else is known.
 * @param {Step[]} steps
 * @param {number[]} step
 * @param {number} state
 * @param {Findings} findings
 * @returns {boolean}
 */
function differ(steps, step, state, findings) {
  const first = step.slice(1).findIndex((place) => place >= 0);
  if (step[state + 1] < 0 || step[state + 1] === step[first + 1]) return false;
  /** @type {[number, number, Findings][]} */
  const todo = [[step[first + 1], step[state + 1], findings]];
  while (todo.length) {
    const [one, other, known] = /** @type {[number, number, Findings]} */ (todo.pop());
    const ends = [settle(steps, one, step[0], first, known), settle(steps, other, step[0], state, known)];
    const [a, b] = ends.map((place) => steps[place]);
    if (typeof a === "number" && typeof b === "number") {
      if (a !== b) return true;
      continue;
    }
    const asked = /** @type {number[]} */ (typeof a === "number" ? b : a);
    asked.slice(1).forEach((place, code) => {
      if (place >= 0) todo.push([ends[0], ends[1], new Map(known).set(asked[0], { state: code, isSet: false })]);
    });
  }
  return false;
}

/** Go down a tree as far as what is known decides.
 * @param {Step[]} steps
 * @param {number} place
 * @param {number} parent
 * @param {number} state
 * @param {Findings} known
 */
function settle(steps, place, parent, state, known) {
  for (;;) {
    const step = steps[place];
    if (typeof step === "number") return place;
    const finding = known.get(step[0]);
    if (step[0] !== parent && !finding) return place;
    place = step[1 + (step[0] === parent || !finding ? state : finding.state)];
  }
}

/** A tree as lines: how deep each is, what it asks, and the probabilities of a leaf.
 * @param {Model} model
 * @param {number} node
 * @param {Findings} findings what is known is not asked
 * @returns {string[]}
 */
function treeLines(model, node, findings) {
  const { steps, table } = model.trees[node];
  /** @param {Step} step */
  const end = (step) => (typeof step !== "number" ? "" : `: ${table.length ? table[step].map((p) => p.toFixed(3)).join("  ") : `p${step + 1}`}`);
  const root = settle(steps, 0, -1, 0, findings);
  const lines = typeof steps[root] === "number" ? [`always${end(steps[root])}`] : [];
  /** @type {[number, number][]} */
  const todo = [[root, 0]];
  /** @type {[string, number, number][]} */
  const texts = [];
  while (todo.length || texts.length) {
    const next = todo.pop();
    if (next) {
      const step = steps[next[0]];
      if (typeof step === "number") continue;
      const { name, states } = model.variables[step[0]];
      for (const place of [...new Set(step.slice(1))].filter((one) => one >= 0).reverse()) {
        const own = states.filter((_, code) => step[code + 1] === place).join(" or ");
        texts.push([`${"  ".repeat(next[1])}${name} = ${own}`, place, next[1] + 1]);
      }
    }
    const text = texts.pop();
    if (!text) continue;
    const below = settle(steps, text[1], -1, 0, findings);
    lines.push(`${text[0]}${end(steps[below])}`);
    todo.push([below, text[2]]);
  }
  return lines;
}

/** A probability as people read it; what is possible is not said to be impossible.
 * @param {number} p
 */
function percent(p) {
  if (p > 0 && p < 0.0005) return p < 1e-6 ? "< 0.0001 %" : `${(100 * p).toPrecision(1)} %`;
  return p < 1 && p >= 0.9995 ? "> 99.9 %" : `${(100 * p).toFixed(1)} %`;
}

/** A change with its sign; nothing where there is none. @param {number} points */
function signed(points) {
  const text = Math.abs(points).toFixed(1);
  return text === "0.0" || Number.isNaN(points) ? "" : `${points < 0 ? "\u2212" : "+"}${text}`;
}

/** Findings as the fragment of an address, such as #o0=1&d3=0, and back.
 * @param {Findings} findings
 */
function toFragment(findings) {
  return [...findings].map(([node, f]) => `${f.isSet ? "d" : "o"}${node}=${f.state}`).join("&");
}

/** @param {Model} model @param {string} text @returns {Findings} */
function fromFragment(model, text) {
  /** @type {Findings} */
  const findings = new Map();
  for (const part of text.replace(/^#/, "").split("&")) {
    const match = /^([od])(\d+)=(\d+)$/.exec(part);
    if (!match) continue;
    const variable = model.variables[Number(match[2])];
    if (variable && Number(match[3]) < variable.states.length) {
      findings.set(Number(match[2]), { state: Number(match[3]), isSet: match[1] === "d" });
    }
  }
  return findings;
}

class Explorer {
  /** @param {Model} model @param {Document} page */
  constructor(model, page) {
    this.model = model;
    this.page = page;
    this.findings = fromFragment(model, page.defaultView ? page.defaultView.location.hash : "");
    /** @type {Findings[]} */
    this.past = [];
    /** @type {number[][] | null} */
    this.pinned = null;
    this.pinnedText = "";
    this.isSetting = false;
    this.milliseconds = 0;
    /** @type {HTMLElement[]} */
    this.buttons = [];
    /** @type {(() => void)[]} */
    this.trees = [];
    /** The boxes of the graph, and the line and the label of every edge. */
    this.boxes = [...this.byId("graph").querySelectorAll(".node")];
    this.lines = model.edges.map((edge) => [
      ...this.byId("graph").querySelectorAll(`[data-parent="${edge.parent}"][data-child="${edge.child}"]`),
    ]);
    this.build();
    this.refresh();
  }

  /** @param {string} id @returns {HTMLElement} */
  byId(id) {
    const found = this.page.getElementById(id);
    if (!found) throw new Error(`the page has no element ${id}`);
    return found;
  }

  /** Make the list of variables with a button per state, once. */
  build() {
    const list = this.byId("variables");
    this.model.variables.forEach((variable, node) => {
      const card = this.make("section", "variable", list);
      card.id = `v${node}`;
      const head = this.make("h3", "", card);
      head.textContent = variable.latent ? `${variable.name} (latent)` : variable.name;
      variable.states.forEach((state, code) => {
        const button = this.make("button", "state", card);
        button.setAttribute("type", "button");
        button.dataset.node = String(node);
        button.dataset.state = String(code);
        this.make("span", "bar", button);
        this.make("span", "pin", button);
        this.make("span", "name", button).textContent = state;
        this.make("span", "number", button);
        button.addEventListener("click", (event) => this.click(node, code, event.shiftKey));
        this.buttons.push(button);
      });
      if (this.model.trees[node]) this.addTree(card, node);
    });
    const drawing = this.byId("graph").querySelector("svg");
    if (drawing) drawing.style.minWidth = `${LEAST_SCALE * drawing.width.baseVal.value}px`;
    this.byId("undo").addEventListener("click", () => this.undo());
    this.byId("reset").addEventListener("click", () => this.change(new Map()));
    this.byId("pin").addEventListener("click", () => this.pin());
    for (const [id, isSetting] of /** @type {[string, boolean][]} */ ([["observe", false], ["set", true]])) {
      this.byId(id).addEventListener("click", () => {
        this.isSetting = isSetting;
        this.refresh();
      });
    }
    this.byId("search").addEventListener("input", () => this.search());
    this.byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clearSearch();
      const first = this.matches()[0];
      if (event.key === "Enter" && first !== undefined) this.focus(first);
    });
    this.boxes.forEach((box, node) => {
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "button");
      const focus = () => this.focus(node);
      box.addEventListener("click", focus);
      box.addEventListener("keydown", (event) => {
        const key = /** @type {KeyboardEvent} */ (event).key;
        if (key === "Enter" || key === " ") {
          event.preventDefault();
          focus();
        }
      });
    });
    this.page.addEventListener("keydown", (event) => {
      const isTyping = this.page.activeElement === this.byId("search");
      if ((event.ctrlKey || event.metaKey) && event.key === "z" && !isTyping) {
        event.preventDefault();
        this.undo();
      } else if (event.key === "/" && !isTyping) {
        event.preventDefault();
        this.byId("search").focus();
      }
    });
    const view = this.page.defaultView;
    if (view) {
      view.addEventListener("hashchange", () => {
        const given = fromFragment(this.model, view.location.hash);
        if (toFragment(given) !== toFragment(this.findings)) this.change(given);
      });
    }
  }

  /** @param {string} tag @param {string} name @param {HTMLElement} inside @returns {HTMLElement} */
  make(tag, name, inside) {
    const made = this.page.createElement(tag);
    if (name) made.className = name;
    inside.appendChild(made);
    return made;
  }

  /** Add the tree of a node, which is written when it is opened. @param {HTMLElement} card @param {number} node */
  addTree(card, node) {
    const folded = /** @type {HTMLDetailsElement} */ (this.make("details", "tree", card));
    const n = this.model.trees[node].steps.filter((step) => typeof step === "number").length;
    this.make("summary", "", folded).textContent = `tree of ${n.toLocaleString("en")} leaves`;
    const text = this.make("pre", "", folded);
    folded.addEventListener("toggle", () => this.write(folded, text, node));
    this.trees.push(() => this.write(folded, text, node));
  }

  /** @param {HTMLDetailsElement} folded @param {HTMLElement} text @param {number} node */
  write(folded, text, node) {
    if (!folded.open) return;
    const { states } = this.model.variables[node];
    const lines = treeLines(this.model, node, this.findings);
    const head = this.model.trees[node].table.length ? `probabilities of ${states.join(", ")}` : "classes";
    text.textContent = [head, ...lines].join("\n");
  }

  /** @param {number} node @param {number} state @param {boolean} shift */
  click(node, state, shift) {
    const next = new Map(this.findings);
    const before = next.get(node);
    const isSet = this.isSetting !== shift;
    if (before && before.state === state && before.isSet === isSet) next.delete(node);
    else next.set(node, { state, isSet });
    this.change(next);
  }

  /** @param {Findings} findings */
  change(findings) {
    this.past.push(this.findings);
    this.findings = findings;
    this.refresh();
  }

  undo() {
    const before = this.past.pop();
    if (before) {
      this.findings = before;
      this.refresh();
    }
  }

  pin() {
    const result = evaluate(this.model, this.findings);
    this.pinned = this.pinned || !result ? null : result.marginals;
    this.pinnedText = this.inWords();
    this.refresh();
  }

  /** The nodes whose names hold what is typed. @returns {number[]} */
  matches() {
    const text = /** @type {HTMLInputElement} */ (this.byId("search")).value.trim().toLowerCase();
    return [...this.model.variables.keys()].filter((node) => this.model.variables[node].name.toLowerCase().includes(text));
  }

  search() {
    const found = new Set(this.matches());
    this.model.variables.forEach((_, node) => (this.byId(`v${node}`).hidden = !found.has(node)));
    this.boxes.forEach((box, node) => box.classList.toggle("far", !found.has(node)));
    this.byId("nothing").hidden = found.size > 0;
  }

  clearSearch() {
    /** @type {HTMLInputElement} */ (this.byId("search")).value = "";
    this.search();
  }

  /** Show a node's card and its neighbourhood. @param {number} node */
  focus(node) {
    const card = this.byId(`v${node}`);
    card.hidden = false;
    card.scrollIntoView({ block: "nearest" });
    const near = new Set([node]);
    for (const edge of this.model.edges) if (edge.parent === node || edge.child === node) near.add(edge.parent).add(edge.child);
    const isFocused = this.boxes[node].classList.contains("focused");
    this.boxes.forEach((box, other) => {
      box.classList.toggle("focused", !isFocused && other === node);
      box.classList.toggle("far", !isFocused && !near.has(other));
    });
    this.model.variables.forEach((_, other) => {
      this.byId(`v${other}`).classList.toggle("far", !isFocused && !near.has(other));
    });
  }

  inWords() {
    const parts = [...this.findings].map(([node, f]) => {
      const variable = this.model.variables[node];
      return `${f.isSet ? "set " : ""}${variable.name} = ${variable.states[f.state]}`;
    });
    return parts.length ? parts.join(", ") : "nothing observed";
  }

  refresh() {
    const began = performance.now();
    const result = evaluate(this.model, this.findings);
    this.milliseconds = performance.now() - began;
    const isPossible = !result || result.probability > 0;
    this.byId("findings").textContent = this.inWords();
    this.byId("probability").textContent = !result
      ? this.model.why
      : isPossible
        ? this.findings.size
          ? `probability of what is observed: ${percent(result.probability)}`
          : ""
        : "this is impossible in the model; undo the last click";
    this.byId("pinned").textContent = this.pinned ? `compared with: ${this.pinnedText} (marks, and changes in percentage points)` : "";
    this.byId("observe").setAttribute("aria-pressed", String(!this.isSetting));
    this.byId("set").setAttribute("aria-pressed", String(this.isSetting));
    this.byId("pin").setAttribute("aria-pressed", String(this.pinned !== null));
    /** @type {HTMLButtonElement} */ (this.byId("undo")).disabled = this.past.length === 0;
    this.buttons.forEach((button) => this.show(button, result));
    this.fade();
    this.trees.forEach((write) => write());
    const view = this.page.defaultView;
    if (view) view.history.replaceState(null, "", `#${toFragment(this.findings)}`);
  }

  /** @param {HTMLElement} button @param {{probability: number, marginals: number[][]} | null} result */
  show(button, result) {
    const node = Number(button.dataset.node);
    const state = Number(button.dataset.state);
    const finding = this.findings.get(node);
    const isChosen = finding !== undefined && finding.state === state;
    const p = result ? result.marginals[node][state] : NaN;
    const parts = /** @type {HTMLElement[]} */ ([...button.children]);
    parts[0].style.width = Number.isNaN(p) ? "0" : `${100 * p}%`;
    parts[1].style.width = this.pinned ? `${100 * this.pinned[node][state]}%` : "0";
    parts[1].hidden = this.pinned === null;
    const change = this.pinned ? `${signed(100 * (p - this.pinned[node][state]))}\u2002` : "";
    parts[3].textContent = Number.isNaN(p) ? "" : `${change}${percent(p)}`;
    button.dataset.p = String(p);
    button.setAttribute("aria-pressed", String(isChosen));
    button.classList.toggle("observed", isChosen && finding !== undefined && !finding.isSet);
    button.classList.toggle("set", isChosen && finding !== undefined && finding.isSet);
    const variable = this.model.variables[node];
    button.setAttribute("aria-label", `${variable.name} ${variable.states[state]} ${parts[3].textContent}`);
  }

  /** Fade the edges that vanish, and light up the labels that make them vanish. */
  fade() {
    this.model.edges.forEach((edge, number) => {
      const isGone = vanishes(this.model, edge, this.findings);
      this.lines[number].forEach((part) => {
        part.classList.toggle("gone", isGone);
        part.classList.toggle("lit", isGone && part.classList.contains("label"));
      });
    });
    this.boxes.forEach((box, node) => {
      const finding = this.findings.get(node);
      box.classList.toggle("known", finding !== undefined);
      box.classList.toggle("fixed", finding !== undefined && finding.isSet);
    });
  }
}

if (typeof document !== "undefined") {
  const content = document.getElementById("model");
  if (content) {
    const explorer = new Explorer(JSON.parse(content.textContent || ""), document);
    /** @type {any} */ (window).explorer = explorer;
  }
}
if (typeof module !== "undefined") module.exports = { evaluate, vanishes, treeLines, percent, signed, toFragment, fromFragment };
