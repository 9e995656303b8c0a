/** A spreadsheet with one sheet (ECMA-376), of texts and numbers, as spreadsheets open it without a question. */
import { crc32, deflateRawSync } from 'node:zlib';
import { escapeEntities } from '#core/texts.ts';

type Cell = string | number | null;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The first row is the head, which stays in sight. */
export function writeWorkbook(name: string, rows: readonly (readonly Cell[])[]): Uint8Array {
  const data = rows
    .map(
      (cells, row) =>
        `<row r="${row + 1}">${cells.map((cell, column) => writeCell(cell, row, column)).join('')}</row>`,
    )
    .join('');
  return writeZip([
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}/relationships"><sheets><sheet name="${writeText(name.replaceAll(/[[\]:*?/\\]/g, '_').slice(0, 31))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ],
    [
      'xl/worksheets/sheet1.xml',
      `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${data}</sheetData></worksheet>`,
    ],
  ]);
}

function writeCell(cell: Cell, row: number, column: number): string {
  if (cell === null || cell === '') return '';
  const place = `${nameColumn(column)}${row + 1}`;
  // A text is never run, whatever it begins with.
  return typeof cell === 'number'
    ? `<c r="${place}"><v>${cell}</v></c>`
    : `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${writeText(cell)}</t></is></c>`;
}

function nameColumn(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : `${nameColumn(Math.floor(index / 26) - 1)}${last}`;
}

/** Characters that XML 1.0 cannot have. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

const writeText = (text: string): string =>
  escapeEntities(text.toWellFormed().replaceAll(FORBIDDEN, '\ufffd'));

/** 1 January 1980, the earliest that a zip can name, so that the same rows give the same bytes. */
const DATE = 0x21;
const UTF8_NAMES = 0x800;
const DEFLATE = 8;

function writeZip(files: readonly (readonly [name: string, text: string])[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [file, text] of files) {
    const [name, content] = [Buffer.from(file), Buffer.from(text)];
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF8_NAMES, 2);
    common.writeUInt16LE(DEFLATE, 4);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, name);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, packed]);
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}
