/** Draws each block of a document. */
import type { PdfBlock, PdfFact, PdfTone } from '../document.ts';
import type { Sheet, Tag } from './sheet.ts';
import { ACCENT, ATTENTION, GOOD, computeLineHeight, LINE, styles, SUNKEN, type TextStyle } from './style.ts';
import { drawTable, computeTableStart } from './table.ts';

const GAP = 14;
/** Lines of an address that are written one below another; the block of an address never spans pages. */
const ADDRESS_LINES_MAX = 20;
const STAMP_PADDING = { x: 9, y: 5 } as const;

type Drawn<Kind extends PdfBlock['kind']> = Extract<PdfBlock, { kind: Kind }>;

/** `following` are the next blocks; a heading stays with them. */
export function drawBlock(sheet: Sheet, block: PdfBlock, following: readonly PdfBlock[] = []): void {
  switch (block.kind) {
    case 'masthead':
      drawMasthead(sheet, block);
      break;
    case 'heading':
      drawHeading(sheet, block.text, following);
      return;
    case 'paragraph':
      drawParagraph(sheet, block.text, block.muted === true ? styles.muted : styles.body);
      break;
    case 'notice':
      drawNotice(sheet, block);
      break;
    case 'parties':
      drawParties(sheet, block);
      break;
    case 'facts':
      drawFacts(sheet, block.facts);
      break;
    case 'table':
      drawTable(sheet, block);
      break;
    case 'picture':
      sheet.drawPicture(block.scene);
      break;
    case 'sums':
      drawSums(sheet, block.rows);
      break;
  }
  sheet.y += GAP;
}

function drawMasthead(
  sheet: Sheet,
  { issuer, issuerLines, title, subtitle, stamp }: Drawn<'masthead'>,
): void {
  sheet.startPage();
  const { words, left, width, y } = sheet;
  const half = width / 2 - 10;
  const right = left + width - half;
  const issuerName = words.breakLines(styles.issuer, issuer, half);
  const address = issuerLines.flatMap((line) => words.breakLines(styles.muted, line, half));
  const numbers = words.breakLines(styles.heading, subtitle, half);
  const titles = words.breakLines(styles.title, title, half);
  sheet.tag(sheet.root, 'H1', (tag) =>
    sheet.write(tag, titles, styles.title, { x: right, y, width: half, align: 'right' }),
  );
  let rightY = y + titles.length * computeLineHeight(styles.title);
  sheet.tag(sheet.root, 'P', (tag) =>
    sheet.write(tag, numbers, styles.heading, { x: right, y: rightY, width: half, align: 'right' }),
  );
  rightY += numbers.length * computeLineHeight(styles.heading) + 6;
  if (stamp !== undefined) rightY += drawStamp(sheet, stamp, left + width, rightY);
  const nameY = y + 4;
  const addressY = nameY + issuerName.length * computeLineHeight(styles.issuer);
  sheet.tag(sheet.root, 'P', (tag) => {
    sheet.write(tag, issuerName, styles.issuer, { x: left, y: nameY, width: half });
    sheet.write(tag, address, styles.muted, { x: left, y: addressY, width: half });
  });
  sheet.y = Math.max(rightY, addressY + address.length * computeLineHeight(styles.muted)) + 10;
  sheet.drawRule(sheet.y, ACCENT, 1.4);
}

function getColor(tone: PdfTone): string {
  return { plain: styles.muted.color, good: GOOD, attention: ATTENTION }[tone];
}

/** Draws a stamp, right-aligned to `rightEdge`; returns its height. */
function drawStamp(
  sheet: Sheet,
  { text, tone }: { readonly text: string; readonly tone: PdfTone },
  rightEdge: number,
  y: number,
): number {
  const color = getColor(tone);
  const style: TextStyle = { ...styles.strong, color };
  const wide = sheet.words.measureWidth(style, text);
  const x = rightEdge - wide - 2 * STAMP_PADDING.x;
  const height = computeLineHeight(style) + 2 * STAMP_PADDING.y;
  sheet.decorate((pdf) =>
    pdf
      .roundedRect(x, y, wide + 2 * STAMP_PADDING.x, height, 4)
      .lineWidth(1.2)
      .stroke(color),
  );
  sheet.tag(sheet.root, 'P', (tag) =>
    sheet.write(tag, [text], style, { x: x + STAMP_PADDING.x, y: y + STAMP_PADDING.y, width: wide + 1 }),
  );
  return height;
}

/**
 * Returns the height that must fit on the page of a heading: the beginning of a paragraph or table, or whole
 * facts or a whole figure. Paragraphs that lead to a figure stay with it.
 */
function computeLeastHeight(sheet: Sheet, [block, ...rest]: readonly PdfBlock[]): number {
  if (block?.kind === 'paragraph' && isPictureNext(rest)) {
    const lines = sheet.words.breakLines(styles.body, block.text, sheet.width);
    return lines.length * computeLineHeight(styles.body) + GAP + computeLeastHeight(sheet, rest);
  }
  if (block?.kind === 'picture') return sheet.computeHeight(block.scene);
  if (block?.kind === 'table') return computeTableStart(sheet, block);
  if (block?.kind === 'facts') return breakFacts(sheet, block.facts, sheet.width).height;
  return 2 * computeLineHeight(styles.body);
}

function isPictureNext(blocks: readonly PdfBlock[]): boolean {
  return blocks.find(({ kind }) => kind !== 'paragraph')?.kind === 'picture';
}

function drawHeading(sheet: Sheet, text: string, following: readonly PdfBlock[]): void {
  const lines = sheet.words.breakLines(styles.heading, text, sheet.width);
  const height = lines.length * computeLineHeight(styles.heading);
  // A heading never stands alone at the bottom of a page.
  sheet.ensureRoom(height + computeLeastHeight(sheet, following) + 3);
  sheet.tag(sheet.root, 'H2', (tag) =>
    sheet.write(tag, lines, styles.heading, { x: sheet.left, y: sheet.y, width: sheet.width }),
  );
  sheet.y += height + 3;
}

/** A paragraph may span pages, as one node of the structure. */
function drawParagraph(sheet: Sheet, text: string, style: TextStyle): void {
  const step = computeLineHeight(style);
  const lines = sheet.words.breakLines(style, text, sheet.width);
  sheet.tag(sheet.root, 'P', (tag) => {
    while (lines.length > 0) {
      sheet.ensureRoom(step);
      const fitting = lines.splice(0, Math.max(1, Math.floor(sheet.room / step)));
      sheet.write(tag, fitting, style, { x: sheet.left, y: sheet.y, width: sheet.width });
      sheet.y += fitting.length * step;
    }
  });
}

function drawNotice(sheet: Sheet, { text, tone }: Drawn<'notice'>): void {
  const style: TextStyle = { ...styles.body, color: tone === 'plain' ? styles.body.color : getColor(tone) };
  const lines = sheet.words.breakLines(style, text, sheet.width - 24);
  const height = lines.length * computeLineHeight(style) + 14;
  sheet.ensureRoom(height);
  const { left, width, y } = sheet;
  sheet.decorate((pdf) => {
    pdf.roundedRect(left, y, width, height, 4).fill(SUNKEN);
    pdf.rect(left, y, 3, height).fill(getColor(tone));
  });
  sheet.tag(sheet.root, 'P', (tag) =>
    sheet.write(tag, lines, style, { x: left + 14, y: y + 7, width: width - 24 }),
  );
  sheet.y += height;
}

function drawParties(sheet: Sheet, { label, lines, facts }: Drawn<'parties'>): void {
  const { words, left, width } = sheet;
  const half = width / 2 - 12;
  const name = words.breakLines(styles.strong, lines[0] ?? '', half);
  const address = lines.slice(1);
  const shown = address.length > ADDRESS_LINES_MAX ? [address.join(', ')] : address;
  const rest = shown.flatMap((line) => words.breakLines(styles.body, line, half));
  const height =
    computeLineHeight(styles.label) +
    name.length * computeLineHeight(styles.strong) +
    rest.length * computeLineHeight(styles.body);
  const table = breakFacts(sheet, facts, half);
  sheet.ensureRoom(Math.max(height, table.height));
  const top = sheet.y;
  const nameY = top + computeLineHeight(styles.label) + 2;
  sheet.tag(sheet.root, 'P', (tag) => {
    sheet.write(tag, [label], styles.label, { x: left, y: top, width: half });
    sheet.write(tag, name, styles.strong, { x: left, y: nameY, width: half });
    sheet.write(tag, rest, styles.body, {
      x: left,
      y: nameY + name.length * computeLineHeight(styles.strong),
      width: half,
    });
  });
  writeFacts(sheet, table, left + width - half, top);
  sheet.y = top + Math.max(height + 2, table.height);
}

interface FactLines {
  readonly rows: readonly { readonly label: string[]; readonly value: string[]; readonly height: number }[];
  readonly labelWidth: number;
  readonly valueWidth: number;
  readonly height: number;
}

function breakFacts(sheet: Sheet, facts: readonly PdfFact[], width: number): FactLines {
  const widest = Math.max(0, ...facts.map((fact) => sheet.words.measureWidth(styles.muted, fact.label)));
  const labelWidth = Math.min(widest + 1, width * 0.45);
  const valueWidth = width - labelWidth - 12;
  const rows = facts.map((fact) => {
    const label = sheet.words.breakLines(styles.muted, fact.label, labelWidth);
    const value = sheet.words.breakLines(styles.body, fact.value, valueWidth);
    return {
      label,
      value,
      height: Math.max(label.length, value.length) * computeLineHeight(styles.body) + 2,
    };
  });
  return { rows, labelWidth, valueWidth, height: rows.reduce((sum, row) => sum + row.height, 0) };
}

function writeFacts(sheet: Sheet, { rows, labelWidth, valueWidth }: FactLines, x: number, top: number): void {
  let y = top;
  const lead = (computeLineHeight(styles.body) - computeLineHeight(styles.muted)) / 2;
  sheet.tag(sheet.root, 'Table', (table) => {
    for (const row of rows) {
      sheet.tag(table, 'TR', (line) => {
        sheet.tag(line, 'TH', (cell) =>
          sheet.write(cell, row.label, styles.muted, { x, y: y + lead, width: labelWidth }),
        );
        sheet.tag(line, 'TD', (cell) =>
          sheet.write(cell, row.value, styles.body, { x: x + labelWidth + 12, y, width: valueWidth }),
        );
      });
      y += row.height;
    }
  });
}

function drawFacts(sheet: Sheet, facts: readonly PdfFact[]): void {
  const table = breakFacts(sheet, facts, sheet.width);
  sheet.ensureRoom(table.height);
  writeFacts(sheet, table, sheet.left, sheet.y);
  sheet.y += table.height;
}

function drawSums(sheet: Sheet, rows: readonly PdfFact[]): void {
  const width = sheet.width * 0.46;
  const x = sheet.left + sheet.width - width;
  const getStyle = (index: number): TextStyle => (index === rows.length - 1 ? styles.total : styles.body);
  const placed = rows.map((row, index) => {
    const style = getStyle(index);
    const amountWidth = sheet.words.measureWidth(style, row.value) + 6;
    const label = sheet.words.breakLines(style, row.label, width - amountWidth - 18);
    return { row, style, amountWidth, label, height: label.length * computeLineHeight(style) + 5 };
  });
  sheet.ensureRoom(placed.reduce((sum, { height }) => sum + height, 4));
  sheet.y += 4;
  sheet.tag(sheet.root, 'Table', (table: Tag) => {
    for (const [index, { row, style, label, height }] of placed.entries()) {
      if (index === placed.length - 1) drawSumRule(sheet, x, width);
      const { y } = sheet;
      sheet.tag(table, 'TR', (line) => {
        sheet.tag(line, 'TH', (cell) => sheet.write(cell, label, style, { x, y: y + 3, width }));
        sheet.tag(line, 'TD', (cell) =>
          sheet.write(cell, [row.value], style, { x, y: y + 3, width: width - 6, align: 'right' }),
        );
      });
      sheet.y += height;
    }
  });
}

function drawSumRule(sheet: Sheet, x: number, width: number): void {
  const { y } = sheet;
  sheet.decorate((pdf) =>
    pdf
      .moveTo(x, y + 1)
      .lineTo(x + width, y + 1)
      .lineWidth(0.8)
      .stroke(LINE),
  );
}
