/** Draws each block of a document. */
import type { PdfBlock, PdfFact, PdfTone } from '../document.ts';
import type { Sheet, Tag } from './sheet.ts';
import { ACCENT, ATTENTION, GOOD, lineHeight, LINE, styles, SUNKEN, type TextStyle } from './style.ts';
import { drawTable, tableStart } from './table.ts';

const GAP = 14;
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
      sheet.picture(block.scene);
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
  const issuerName = words.lines(styles.issuer, issuer, half);
  const address = issuerLines.flatMap((line) => words.lines(styles.muted, line, half));
  const numbers = words.lines(styles.heading, subtitle, half);
  const titles = words.lines(styles.title, title, half);
  sheet.tag(sheet.root, 'H1', (tag) =>
    sheet.write(tag, titles, styles.title, { x: right, y, width: half, align: 'right' }),
  );
  let rightY = y + titles.length * lineHeight(styles.title);
  sheet.tag(sheet.root, 'P', (tag) =>
    sheet.write(tag, numbers, styles.heading, { x: right, y: rightY, width: half, align: 'right' }),
  );
  rightY += numbers.length * lineHeight(styles.heading) + 6;
  if (stamp !== undefined) rightY += drawStamp(sheet, stamp, left + width, rightY);
  const nameY = y + 4;
  const addressY = nameY + issuerName.length * lineHeight(styles.issuer);
  sheet.tag(sheet.root, 'P', (tag) => {
    sheet.write(tag, issuerName, styles.issuer, { x: left, y: nameY, width: half });
    sheet.write(tag, address, styles.muted, { x: left, y: addressY, width: half });
  });
  sheet.y = Math.max(rightY, addressY + address.length * lineHeight(styles.muted)) + 10;
  sheet.rule(sheet.y, ACCENT, 1.4);
}

function colourOf(tone: PdfTone): string {
  return { plain: styles.muted.colour, good: GOOD, attention: ATTENTION }[tone];
}

/** Draws a stamp, right-aligned to `rightEdge`; returns its height. */
function drawStamp(
  sheet: Sheet,
  { text, tone }: { readonly text: string; readonly tone: PdfTone },
  rightEdge: number,
  y: number,
): number {
  const colour = colourOf(tone);
  const style: TextStyle = { ...styles.strong, colour };
  const wide = sheet.words.width(style, text);
  const x = rightEdge - wide - 2 * STAMP_PADDING.x;
  const height = lineHeight(style) + 2 * STAMP_PADDING.y;
  sheet.decorate((pdf) =>
    pdf
      .roundedRect(x, y, wide + 2 * STAMP_PADDING.x, height, 4)
      .lineWidth(1.2)
      .stroke(colour),
  );
  sheet.tag(sheet.root, 'P', (tag) =>
    sheet.write(tag, [text], style, { x: x + STAMP_PADDING.x, y: y + STAMP_PADDING.y, width: wide + 1 }),
  );
  return height;
}

/**
 * Returns the height that must fit on the page of a heading: the beginning of a paragraph or table, or a whole
 * figure. Paragraphs that lead to a figure stay with it.
 */
function leastHeight(sheet: Sheet, [block, ...rest]: readonly PdfBlock[]): number {
  if (block?.kind === 'paragraph' && leadsToPicture(rest)) {
    const lines = sheet.words.lines(styles.body, block.text, sheet.width);
    return lines.length * lineHeight(styles.body) + GAP + leastHeight(sheet, rest);
  }
  if (block?.kind === 'picture') return sheet.heightOf(block.scene);
  if (block?.kind === 'table') return tableStart(sheet, block);
  return 2 * lineHeight(styles.body);
}

function leadsToPicture(blocks: readonly PdfBlock[]): boolean {
  return blocks.find(({ kind }) => kind !== 'paragraph')?.kind === 'picture';
}

function drawHeading(sheet: Sheet, text: string, following: readonly PdfBlock[]): void {
  const lines = sheet.words.lines(styles.heading, text, sheet.width);
  const height = lines.length * lineHeight(styles.heading);
  // A heading never stands alone at the bottom of a page.
  sheet.need(height + leastHeight(sheet, following) + 3);
  sheet.tag(sheet.root, 'H2', (tag) =>
    sheet.write(tag, lines, styles.heading, { x: sheet.left, y: sheet.y, width: sheet.width }),
  );
  sheet.y += height + 3;
}

/** A paragraph may span pages, as one node of the structure. */
function drawParagraph(sheet: Sheet, text: string, style: TextStyle): void {
  const step = lineHeight(style);
  const lines = sheet.words.lines(style, text, sheet.width);
  sheet.tag(sheet.root, 'P', (tag) => {
    while (lines.length > 0) {
      sheet.need(step);
      const fitting = lines.splice(0, Math.max(1, Math.floor(sheet.room / step)));
      sheet.write(tag, fitting, style, { x: sheet.left, y: sheet.y, width: sheet.width });
      sheet.y += fitting.length * step;
    }
  });
}

function drawNotice(sheet: Sheet, { text, tone }: Drawn<'notice'>): void {
  const style: TextStyle = { ...styles.body, colour: tone === 'plain' ? styles.body.colour : colourOf(tone) };
  const lines = sheet.words.lines(style, text, sheet.width - 24);
  const height = lines.length * lineHeight(style) + 14;
  sheet.need(height);
  const { left, width, y } = sheet;
  sheet.decorate((pdf) => {
    pdf.roundedRect(left, y, width, height, 4).fill(SUNKEN);
    pdf.rect(left, y, 3, height).fill(colourOf(tone));
  });
  sheet.tag(sheet.root, 'P', (tag) =>
    sheet.write(tag, lines, style, { x: left + 14, y: y + 7, width: width - 24 }),
  );
  sheet.y += height;
}

function drawParties(sheet: Sheet, { label, lines, facts }: Drawn<'parties'>): void {
  const { words, left, width } = sheet;
  const half = width / 2 - 12;
  const name = words.lines(styles.strong, lines[0] ?? '', half);
  const rest = lines.slice(1).flatMap((line) => words.lines(styles.body, line, half));
  const height =
    lineHeight(styles.label) +
    name.length * lineHeight(styles.strong) +
    rest.length * lineHeight(styles.body);
  const table = factLines(sheet, facts, half);
  sheet.need(Math.max(height, table.height));
  const top = sheet.y;
  const nameY = top + lineHeight(styles.label) + 2;
  sheet.tag(sheet.root, 'P', (tag) => {
    sheet.write(tag, [label], styles.label, { x: left, y: top, width: half });
    sheet.write(tag, name, styles.strong, { x: left, y: nameY, width: half });
    sheet.write(tag, rest, styles.body, {
      x: left,
      y: nameY + name.length * lineHeight(styles.strong),
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

function factLines(sheet: Sheet, facts: readonly PdfFact[], width: number): FactLines {
  const widest = Math.max(0, ...facts.map((fact) => sheet.words.width(styles.muted, fact.label)));
  const labelWidth = Math.min(widest + 1, width * 0.45);
  const valueWidth = width - labelWidth - 12;
  const rows = facts.map((fact) => {
    const label = sheet.words.lines(styles.muted, fact.label, labelWidth);
    const value = sheet.words.lines(styles.body, fact.value, valueWidth);
    return { label, value, height: Math.max(label.length, value.length) * lineHeight(styles.body) + 2 };
  });
  return { rows, labelWidth, valueWidth, height: rows.reduce((sum, row) => sum + row.height, 0) };
}

function writeFacts(sheet: Sheet, { rows, labelWidth, valueWidth }: FactLines, x: number, top: number): void {
  let y = top;
  const lead = (lineHeight(styles.body) - lineHeight(styles.muted)) / 2;
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
  const table = factLines(sheet, facts, sheet.width);
  sheet.need(table.height);
  writeFacts(sheet, table, sheet.left, sheet.y);
  sheet.y += table.height;
}

function drawSums(sheet: Sheet, rows: readonly PdfFact[]): void {
  const width = sheet.width * 0.46;
  const x = sheet.left + sheet.width - width;
  const styleOf = (index: number): TextStyle => (index === rows.length - 1 ? styles.total : styles.body);
  const placed = rows.map((row, index) => {
    const style = styleOf(index);
    const amountWidth = sheet.words.width(style, row.value) + 6;
    const label = sheet.words.lines(style, row.label, width - amountWidth - 18);
    return { row, style, amountWidth, label, height: label.length * lineHeight(style) + 5 };
  });
  sheet.need(placed.reduce((sum, { height }) => sum + height, 4));
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
