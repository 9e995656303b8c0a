/** Zip archives and workbooks for tests, packed the plain way: local entries, central directory, end record. */
import { crc32, deflateRawSync } from 'node:zlib';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { toFile } from './synthetic.ts';

const FASTEST = 1;

/** `claimedBytes` replaces the size that the headers state for every entry. */
export function createZip(files: InputFile[], method: 0 | 8 = 8, claimedBytes?: number): InputFile {
  // Many entries of a large archive may be the same bytes, which are packed once.
  const packed = new Map<Uint8Array, { readonly data: Buffer; readonly sum: number }>();
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const { data, sum } = packed.get(file.bytes) ?? {
      data: method === 8 ? deflateRawSync(file.bytes, { level: FASTEST }) : Buffer.from(file.bytes),
      sum: crc32(file.bytes),
    };
    packed.set(file.bytes, { data, sum });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(sum, 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(claimedBytes ?? file.bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return { name: 'upload.zip', bytes: Buffer.concat([...locals, directory, end]) };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function formatColumn(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest > 0 ? formatColumn(rest) : '') + String.fromCharCode(65 + ((column - 1) % 26));
}

/** The XML of one sheet; texts are shared strings, and the declared dimension is a million rows. */
function writeSheetXml(rows: readonly (readonly (string | number)[])[], strings: string[]): string {
  const body = rows.map((cells, r) => {
    const xml = cells.map((value, c) => {
      const at = `r="${formatColumn(c + 1)}${r + 1}"`;
      if (value === '') return `<c ${at}/>`;
      if (typeof value === 'number') return `<c ${at}><v>${value}</v></c>`;
      strings.push(value);
      return `<c ${at} t="s"><v>${strings.length - 1}</v></c>`;
    });
    return `<row r="${r + 1}">${xml.join('')}</row>`;
  });
  return `<?xml version="1.0"?><worksheet><dimension ref="A1:XFD1048576"/><sheetData>${body.join('')}</sheetData></worksheet>`;
}

export function createWorkbookParts(
  sheets: Record<string, readonly (readonly (string | number)[])[]>,
): InputFile[] {
  const strings: string[] = [];
  const names = Object.keys(sheets);
  const parts = names.map((name, i) =>
    toFile(`xl/worksheets/sheet${i + 1}.xml`, writeSheetXml(sheets[name], strings)),
  );
  const list = names.map(
    (name, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  );
  const relations = names.map(
    (_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`,
  );
  const shared = strings.map((text) => `<si><t>${escapeXml(text)}</t></si>`);
  return [
    toFile('[Content_Types].xml', '<Types/>'),
    toFile('xl/workbook.xml', `<workbook><sheets>${list.join('')}</sheets></workbook>`),
    toFile('xl/_rels/workbook.xml.rels', `<Relationships>${relations.join('')}</Relationships>`),
    toFile('xl/sharedStrings.xml', `<sst>${shared.join('')}</sst>`),
    ...parts,
  ];
}

export function createWorkbook(
  sheets: Record<string, readonly (readonly (string | number)[])[]>,
  name = 'book.xlsx',
): InputFile {
  return { ...createZip(createWorkbookParts(sheets)), name };
}
