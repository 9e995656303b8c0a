/* The wells of a plate, each read under the pointer or by a slider. The figure and the CSV have them without a script. */
import { create, formatValue } from './curve-plot.js';

const STEP = 36;
const HEAD = 24;

/** `B12` as a row and a column, counted from 0. */
function readPlace(well) {
  const [, letters = '', digits = ''] = /^([A-Z]+)0*([0-9]+)$/.exec(well) ?? [];
  if (letters === '') return undefined;
  const row = letters.split('').reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
  return { row, column: Number(digits) - 1 };
}

const nameRow = (row) => (row < 26 ? '' : 'A') + String.fromCharCode(65 + (row % 26));

function listWells(plate) {
  return plate.well
    .flatMap((well, index) => {
      const place = readPlace(well);
      const role = plate.role[index];
      return place === undefined
        ? []
        : [
            {
              well,
              ...place,
              role,
              sample: plate.sample[index],
              replicate: plate.sample_replicate[index],
              signal: plate.signal[index],
              normalized: plate.normalized[index],
              isSaturated: plate.saturated[index],
              text: plate.text?.[index],
            },
          ];
    })
    .toSorted((a, b) => a.row - b.row || a.column - b.column);
}

/** The wells of a sample that say themselves what was read, as plates of these alone. */
export function listPlates(wells, sample) {
  return [...Map.groupBy(wells, ({ plate }) => plate)].map(([plate, own]) => ({
    plate,
    well: own.map(({ well }) => well),
    role: own.map(() => 'sample'),
    sample: own.map(() => sample),
    sample_replicate: own.map(({ replicate }) => replicate),
    signal: own.map(({ value }) => value),
    normalized: own.map(() => null),
    saturated: own.map(() => false),
    text: own.map(({ text }) => text),
  }));
}

/** The usual plate that holds the wells. */
function findSize(wells) {
  const rows = Math.max(...wells.map(({ row }) => row)) + 1;
  const columns = Math.max(...wells.map(({ column }) => column)) + 1;
  const usual = [
    [8, 12],
    [16, 24],
    [32, 48],
  ];
  return usual.find(([most, wide]) => rows <= most && columns <= wide) ?? [rows, columns];
}

function describeWell({ well, role, sample, replicate, signal, normalized, isSaturated, text }, unit) {
  if (text !== undefined) return `${well}: ${sample}, replicate ${replicate}: ${text}`;
  const name =
    role === 'sample' ? `${sample}, replicate ${replicate}` : `${sample} (${role.replaceAll('_', ' ')})`;
  const read = isSaturated || !Number.isFinite(signal) ? 'saturated' : `${formatValue(signal)} ${unit}`;
  const relative = Number.isFinite(normalized) ? `, relative ${formatValue(normalized)}` : '';
  return `${well}: ${name}: ${read}${relative}`;
}

/** A slider with its readout above it; `onInput` gets its value. */
export function addSlider(card, max, onInput) {
  const label = document.createElement('label');
  label.className = 'reader-slider';
  const caption = document.createElement('span');
  caption.className = 'reader-caption';
  const slider = document.createElement('input');
  Object.assign(slider, { type: 'range', min: '0', max: String(max), value: '0', hidden: max === 0 });
  label.append(caption, slider);
  card.append(label);
  slider.addEventListener('input', () => onInput(Number(slider.value)));
  return {
    write(value, text) {
      slider.value = String(value);
      caption.textContent = text;
      slider.setAttribute('aria-valuetext', text);
    },
  };
}

export function drawPlate(card, plate, { sequence_name: own, signal_unit: unit }) {
  const wells = listWells(plate);
  if (wells.length === 0) return;
  const [rows, columns] = findSize(wells);
  const wide = HEAD + columns * STEP + 4;
  const heading = document.createElement('h3');
  heading.textContent = `Plate ${plate.plate}`;
  const picture = create('svg', {
    viewBox: `0 0 ${wide} ${HEAD + rows * STEP + 4}`,
    width: wide,
    class: 'reader-plot plate-wells',
    'aria-hidden': 'true',
  });
  const centerX = (column) => HEAD + (column + 0.5) * STEP;
  const centerY = (row) => HEAD + (row + 0.5) * STEP;
  for (let column = 0; column < columns; column += 1)
    create('text', { x: centerX(column), y: 14, 'text-anchor': 'middle' }, picture).textContent = String(
      column + 1,
    );
  for (let row = 0; row < rows; row += 1)
    create('text', { x: 10, y: centerY(row) + 4, 'text-anchor': 'middle' }, picture).textContent =
      nameRow(row);
  const taken = new Set(wells.map(({ row, column }) => `${row} ${column}`));
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      if (!taken.has(`${row} ${column}`))
        create('circle', { cx: centerX(column), cy: centerY(row), r: 2, class: 'no-well' }, picture);
  const read = ({ normalized, signal }) => normalized ?? signal ?? 0;
  const most = Math.max(...wells.map(read), 0) || 1;
  const computeShare = (well) => (well.isSaturated ? 1 : Math.max(0, Math.min(1, read(well) / most)));
  const circles = wells.map((well) => {
    const isOwn = well.role === 'sample' && well.sample === own;
    return create(
      'circle',
      {
        cx: centerX(well.column),
        cy: centerY(well.row),
        r: isOwn ? 15 : 14,
        class: `well${isOwn ? ' own' : ''}`,
        'fill-opacity': (0.06 + 0.94 * computeShare(well)).toFixed(3),
      },
      picture,
    );
  });
  const part = document.createElement('div');
  part.className = plate.text === undefined ? 'plate-part' : 'plate-part small';
  part.append(heading, picture);
  card.append(part);
  const slider = addSlider(part, wells.length - 1, (index) => show(index));
  function show(index) {
    circles.forEach((circle, at) => circle.classList.toggle('near', at === index));
    slider.write(index, describeWell(wells[index], unit));
  }
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const scale = wide / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - HEAD) / STEP);
    const row = Math.floor(((event.clientY - box.top) * scale - HEAD) / STEP);
    const index = wells.findIndex((well) => well.row === row && well.column === column);
    if (index !== -1) show(index);
  });
  show(
    Math.max(
      0,
      wells.findIndex(({ role, sample }) => role === 'sample' && sample === own),
    ),
  );
}
