/* Draws curves in panels that share an axis. What is shown, and what is read at the pointer, `curve-reader.js` decides. */
const SVG = 'http://www.w3.org/2000/svg';
export const PAD = { left: 56, right: 12, top: 2, bottom: 30 };
const GAP = 8;
/** The name of a panel stands above it. */
const NAME = 18;

export function create(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

/** With four digits and at most five decimals; zeros at the end say how precise it is. */
export function formatValue(value) {
  if (!Number.isFinite(value)) return '–';
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(5, Math.max(0, 3 - power))).replace('-', '−');
}

/** Seconds are counted in steps that divide minutes. */
const TIME_STEPS_S = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/** How far a tick may lie beyond the last value, as a fraction of the range. */
const NEAR = 0.005;

/** Round numbers within the range, about `count` of them, with the decimals that tell them apart. */
function listTicks(low, high, count, steps = []) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const step = steps[0] <= rough ? (steps.find((each) => each >= rough) ?? round) : round;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  // A recording that ends just before a round number ends there.
  const length = Math.floor((high + NEAR * (high - low)) / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, length) }, (_, index) => {
    const value = (first + index) * step;
    const text = Math.abs(value).toFixed(decimals);
    return { value, text: value < 0 && Number(text) !== 0 ? `−${text}` : text };
  });
}

/** The index of the point that is nearest to x; the axis ascends. */
export function findNearest(values, x) {
  let [low, high] = [0, values.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return Math.abs(values[low] - x) <= Math.abs(values[high] - x) ? low : high;
}

/** The points within the range and one beyond each end, so that lines reach the frame. */
function slice(xs, { from, to }) {
  return [Math.max(0, findNearest(xs, from) - 1), Math.min(xs.length, findNearest(xs, to) + 2)];
}

/** Lines of more points than this are drawn by the extremes of each step. */
const POINTS_MAX = 1_600;

/** Writes the pieces of a line, which a gap in the values divides. */
function writePath({ xs, ys }, range, toX, toY) {
  const [start, end] = slice(xs, range);
  const step = Math.max(1, Math.ceil((2 * (end - start)) / POINTS_MAX));
  let path = '';
  let isOpen = false;
  const add = (index) => {
    path += `${isOpen ? 'L' : 'M'}${toX(xs[index]).toFixed(1)},${toY(ys[index]).toFixed(1)}`;
    isOpen = true;
  };
  for (let index = start; index < end; index += step) {
    let [low, high] = [-1, -1];
    for (let at = index; at < Math.min(end, index + step); at += 1) {
      if (!Number.isFinite(ys[at])) continue;
      if (low === -1 || ys[at] < ys[low]) low = at;
      if (high === -1 || ys[at] > ys[high]) high = at;
    }
    if (low === -1) isOpen = false;
    else if (low === high) add(low);
    else for (const at of [Math.min(low, high), Math.max(low, high)]) add(at);
  }
  return path;
}

/** The lowest and the highest value of the lines within the range; those that only guide the eye do not count. */
function findExtremes(lines, range) {
  let [low, high] = [Infinity, -Infinity];
  for (const { xs, ys, isGuide } of lines) {
    if (isGuide === true) continue;
    const [start, end] = slice(xs, range);
    for (let index = start; index < end; index += 1) {
      if (!Number.isFinite(ys[index])) continue;
      low = Math.min(low, ys[index]);
      high = Math.max(high, ys[index]);
    }
  }
  if (low > high) return [0, 1];
  const margin = 0.03 * (high - low || 1);
  return [low - margin, high + margin];
}

function drawPanel(picture, panel, { top, width, range, toX, isLast, unit }) {
  const group = create('g', { 'data-panel': panel.key }, picture);
  const [low, high] = findExtremes(panel.lines, range);
  const bottom = top + panel.height;
  const toY = (y) => bottom - ((y - low) / (high - low)) * panel.height;
  for (const { value, text } of listTicks(low, high, panel.height > 120 ? 6 : 3)) {
    const y = toY(value);
    create('line', { x1: PAD.left, x2: width - PAD.right, y1: y, y2: y, class: 'reader-grid' }, group);
    create('text', { x: PAD.left - 6, y: y + 4, 'text-anchor': 'end' }, group).textContent = text;
  }
  create('text', { x: PAD.left, y: top - 6, class: 'reader-name' }, group).textContent = panel.name;
  const inside = create('g', { 'clip-path': `url(#clip-${panel.key})` }, group);
  const frame = { x: PAD.left, y: top, width: width - PAD.left - PAD.right, height: panel.height };
  create('rect', frame, create('clipPath', { id: `clip-${panel.key}` }, group));
  for (const x of panel.marks)
    create('line', { x1: toX(x), x2: toX(x), y1: top, y2: bottom, class: 'reader-mark' }, inside);
  const lines = panel.lines.map((line) => ({
    ...line,
    element: create('path', { d: writePath(line, range, toX, toY), class: line.look }, inside),
  }));
  if (isLast) drawTicks(group, { bottom, width, range, toX, unit });
  return { ...panel, top, bottom, lines, toY };
}

function drawTicks(group, { bottom, width, range, toX, unit }) {
  const ticks = listTicks(range.from, range.to, 4, unit === 's' ? TIME_STEPS_S : []);
  ticks.forEach(({ value, text }, index) => {
    const isLast = index === ticks.length - 1;
    const x = toX(value);
    const anchor = x > width - PAD.right - 20 ? 'end' : 'middle';
    create('text', { x, y: bottom + 22, 'text-anchor': anchor }, group).textContent =
      `${text}${isLast ? ` ${unit}` : ''}`;
  });
}

/** Draws the panels below one another, and returns where their lines lie. */
export function drawPanels(picture, panels, { width, range, unit }) {
  const inner = width - PAD.left - PAD.right;
  const toX = (x) => PAD.left + ((x - range.from) / (range.to - range.from || 1)) * inner;
  const toValue = (x) => range.from + ((x - PAD.left) / inner) * (range.to - range.from);
  picture.replaceChildren();
  let top = PAD.top + NAME;
  const drawn = panels.map((panel, index) => {
    const isLast = index === panels.length - 1;
    const placed = drawPanel(picture, panel, { top, width, range, toX, isLast, unit });
    top = placed.bottom + GAP + NAME;
    return placed;
  });
  const height = top - GAP - NAME + PAD.bottom;
  picture.setAttribute('width', width);
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const cursor = create(
    'line',
    { y1: PAD.top + NAME, y2: height - PAD.bottom, class: 'reader-cursor' },
    picture,
  );
  const band = create(
    'rect',
    { y: PAD.top + NAME, height: height - PAD.bottom - PAD.top - NAME, class: 'reader-band' },
    picture,
  );
  return { panels: drawn, toX, toValue, cursor, band, width };
}
