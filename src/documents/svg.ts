/**
 * Writes a scene as a standalone SVG. The same scene gives the same bytes; the SVG contains no scripts and no
 * external resources.
 */
import { escapeEntities } from '#core/texts.ts';
import { getColor, TOKEN_COLORS, type Color } from './colors.ts';
import { fill, TEXT_SIZE, toLine, toTenth, type Mark, type Paint, type Scene } from './scene.ts';

const FONT =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

/** Escapes text for XML content and quoted attributes, on one line. */
export function escapeXml(content: string): string {
  return escapeEntities(toLine(content));
}

export function writeSvg({ title, description, width, height, series, marks }: Scene): string {
  const label = escapeXml(title);
  const [w, h] = [toTenth(width), toTenth(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="sensorgram" role="img" aria-label="${label}" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="${FONT}">`,
    `<title>${label}</title>`,
    ...(description === '' ? [] : [`<desc>${escapeXml(description)}</desc>`]),
    `<style>${writeStyleSheet(series)}</style>`,
    `<rect width="100%" height="100%" ${writeAttributes(fill(getColor('paper')))}/>`,
    ...marks.map(writeElement),
    `</svg>`,
    '',
  ].join('\n');
}

function writeElement(mark: Mark): string {
  switch (mark.kind) {
    case 'group':
      return ['<g>', ...mark.marks.map(writeElement), '</g>'].join('\n');
    case 'path':
      return `<path d="${mark.d}" ${writeAttributes(mark.paint)}/>`;
    case 'circle':
      return `<circle cx="${mark.x}" cy="${mark.y}" r="${mark.radius}" ${writeAttributes(mark.paint)}/>`;
    case 'rect': {
      const { x, y, width, height, radius, paint } = mark;
      const round = radius === 0 ? '' : ` rx="${radius}"`;
      return `<rect x="${x}" y="${y}" width="${width}" height="${height}"${round} ${writeAttributes(paint)}/>`;
    }
    default:
      return writeTextElement(mark);
  }
}

function writeTextElement({ x, y, text, style }: Extract<Mark, { kind: 'text' }>): string {
  const weight = style.weight === undefined ? '' : ` font-weight="${style.weight}"`;
  const anchor = style.anchor === undefined ? '' : ` text-anchor="${style.anchor}"`;
  const turn = style.turned === true ? ` transform="rotate(-90 ${x} ${y})"` : '';
  const paint = writeAttributes(fill(style.color ?? getColor('ink')));
  const size = style.size ?? TEXT_SIZE;
  return `<text x="${x}" y="${y}" font-size="${size}"${weight}${anchor}${turn} ${paint}>${escapeXml(text)}</text>`;
}

/**
 * Returns the attributes that paint a mark: classes for the style sheet, and the light colors for everything else.
 */
function writeAttributes(paint: Paint): string {
  const { fill: area, stroke: line, dash } = paint;
  const classes = [
    ...(area === undefined ? [] : [`f-${area.name}`]),
    ...(line === undefined ? [] : [`s-${line.name}`]),
  ];
  const parts = [`class="${classes.join(' ')}" fill="${area?.light ?? 'none'}"`];
  if (paint.fillOpacity !== undefined) parts.push(`fill-opacity="${paint.fillOpacity}"`);
  if (line !== undefined) parts.push(`stroke="${line.light}" stroke-width="${paint.strokeWidth ?? 1}"`);
  if (dash !== undefined) parts.push(`stroke-dasharray="${dash.join(' ')}"`);
  if (paint.strokeOpacity !== undefined) parts.push(`stroke-opacity="${paint.strokeOpacity}"`);
  if (paint.join !== undefined) parts.push(`stroke-linejoin="${paint.join}"`);
  if (paint.cap !== undefined) parts.push(`stroke-linecap="${paint.cap}"`);
  return parts.join(' ');
}

/** Print stays light. The class names apply only inside the picture, in case a page inlines it. */
function writeStyleSheet(series: readonly Color[]): string {
  const colors = [...TOKEN_COLORS, ...series];
  const writeVariables = (look: 'light' | 'dark') =>
    colors.map((each) => `--${each.name}:${each[look]}`).join(';');
  const rules = colors.map(
    ({ name }) => `.sensorgram .s-${name}{stroke:var(--${name})}.sensorgram .f-${name}{fill:var(--${name})}`,
  );
  return [
    `.sensorgram{${writeVariables('light')}}`,
    `@media screen and (prefers-color-scheme:dark){.sensorgram{${writeVariables('dark')}}}`,
    ...rules,
    '.sensorgram text{font-variant-numeric:tabular-nums}',
  ].join('\n');
}
