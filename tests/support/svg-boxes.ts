/** Where the words of one of our SVG pictures stand, measured with the metrics of a real font. */
import { fileURLToPath } from 'node:url';
import PdfKit from 'pdfkit';

interface SvgText {
  readonly text: string;
  readonly size: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const FACES = { regular: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf' } as const;
const BOLD_FROM = 600;
/** Of the letters of DejaVu Sans over and under the baseline, in parts of the size. */
const ASCENT = 0.76;
const DESCENT = 0.2;

const ruler = new PdfKit({ autoFirstPage: false });
for (const [name, file] of Object.entries(FACES))
  ruler.registerFont(name, fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`)));

/** In units of the size. */
export function measureText(text: string, weight: number): number {
  return ruler
    .font(weight >= BOLD_FROM ? 'bold' : 'regular')
    .fontSize(1)
    .widthOfString(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export function readSize(svg: string): { width: number; height: number } {
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

function readTexts(svg: string): SvgText[] {
  return [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = '', content = '']) => {
    const read = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
    const text = content.replaceAll(/&[a-z0-9#]+;/g, (entity) => ENTITIES[entity] ?? entity);
    const [x, y, size] = ['x', 'y', 'font-size'].map((name) => Number(read(name)));
    if (x === undefined || y === undefined || size === undefined) throw new Error(`no place: ${attributes}`);
    const width = measureText(text, Number(read('font-weight') ?? 400)) * size;
    const anchor = read('text-anchor');
    const before = anchor === 'middle' ? width / 2 : anchor === 'end' ? width : 0;
    const isTurned = attributes.includes('rotate(-90');
    const box = isTurned
      ? { left: x - ASCENT * size, right: x + DESCENT * size, top: y - (width - before), bottom: y + before }
      : { left: x - before, right: x - before + width, top: y - ASCENT * size, bottom: y + DESCENT * size };
    return { text, size, ...box };
  });
}

/** What a figure editor would send back, in words: letters over letters, over the edge, or too small. Empty is well. */
export function findCrowding(
  svg: string,
  { edge, smallest }: { readonly edge: number; readonly smallest: number },
): string[] {
  const { width, height } = readSize(svg);
  const texts = readTexts(svg);
  const problems = texts.flatMap(({ text, size, left, right, top, bottom }) => [
    ...(size < smallest ? [`"${text}" is set in ${size} px`] : []),
    ...(left < edge || right > width - edge || top < edge || bottom > height - edge
      ? [
          `"${text}" comes to the edge (${[left, right, top, bottom].map(Math.round).join(' ')} of ${width}×${height})`,
        ]
      : []),
  ]);
  const ordered = texts.toSorted((a, b) => a.top - b.top);
  for (const [index, one] of ordered.entries()) {
    for (const other of ordered.slice(index + 1)) {
      if (other.top >= one.bottom - 1) break;
      if (other.left < one.right - 0.5 && one.left < other.right - 0.5)
        problems.push(`"${one.text}" and "${other.text}" overlap`);
    }
  }
  return problems;
}
