/** The fonts that every document embeds, so that it looks the same on every machine. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Face } from './style.ts';

const files: readonly (readonly [Face, string])[] = [
  ['regular', 'DejaVuSansCondensed.ttf'],
  ['bold', 'DejaVuSansCondensed-Bold.ttf'],
];

let loaded: (readonly [Face, Buffer])[] | undefined;

export function loadFaces(): readonly (readonly [Face, Buffer])[] {
  loaded ??= files.map(([face, file]) => {
    const url = import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`);
    return [face, readFileSync(fileURLToPath(url))];
  });
  return loaded;
}
