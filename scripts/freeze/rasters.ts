/** Pictures as pixels: SVG by Chromium in both looks, PDF by poppler, and what differs between two of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '#testing/chromium.ts';

/** PNG by a name such as `light` or `page-003`. */
export type Rasters = ReadonlyMap<string, Uint8Array>;

/** Of 255: less than this in each channel is the edge of a letter, not another letter. */
const CHANNEL_MAX = 48;
/** A moved or changed letter of the smallest size alters more pixels than these. */
const PIXELS_MAX = 8;
const PDF_DPI = 80;

export interface Difference {
  /** Pixels that a person could tell apart; null where the sizes differ. */
  readonly pixels: number | null;
  readonly isSeen: boolean;
  /** PNG: what both share in pale gray, what differs in red. */
  readonly image: Uint8Array | null;
}

export interface Rasterizer {
  readonly rasterizeSvg: (svg: string) => Promise<Rasters>;
  readonly rasterizePdf: (pdf: Uint8Array) => Rasters;
  readonly compare: (before: Uint8Array, after: Uint8Array) => Promise<Difference>;
  readonly close: () => Promise<void>;
}

export async function startRasterizer(): Promise<Rasterizer> {
  requirePoppler();
  const browser = await startChromium();
  const page = await browser.newPage();
  return {
    rasterizeSvg: (svg) => rasterizeSvg(page, svg),
    rasterizePdf: rasterizePdf,
    compare: (before, after) => comparePixels(page, before, after),
    close: () => closeAll(browser),
  };
}

async function closeAll(browser: Browser): Promise<void> {
  await browser.close();
}

async function rasterizeSvg(page: Page, svg: string): Promise<Rasters> {
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  await page.setViewportSize({ width: Math.ceil(Number(width)), height: Math.ceil(Number(height)) });
  await page.setContent(`<!doctype html><body style="margin:0">${svg}`);
  const rasters = new Map<string, Uint8Array>();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    rasters.set(colorScheme, await page.screenshot());
  }
  return rasters;
}

function rasterizePdf(pdf: Uint8Array): Rasters {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-freeze-'));
  try {
    const file = join(directory, 'document.pdf');
    writeFileSync(file, pdf);
    execFileSync('pdftoppm', ['-png', '-r', String(PDF_DPI), file, join(directory, 'page')]);
    const pages = readdirSync(directory).filter((name) => name.endsWith('.png'));
    return new Map(
      pages.toSorted().map((name) => [name.replace('.png', ''), readFileSync(join(directory, name))]),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs in the browser, which reads and writes PNG; as text, since the types of a page are not those of this process. */
const COMPARE = `async ({ addresses, limit }) => {
  const read = async (address) => {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.width, picture.height];
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    return { canvas, context, data: context.getImageData(0, 0, picture.width, picture.height) };
  };
  const [before, after] = [await read(addresses[0]), await read(addresses[1])];
  const { width, height } = before.canvas;
  if (after.canvas.width !== width || after.canvas.height !== height) return null;
  const [a, b] = [before.data.data, after.data.data];
  let pixels = 0;
  for (let at = 0; at < a.length; at += 4) {
    const isApart = [0, 1, 2].some((channel) => Math.abs(a[at + channel] - b[at + channel]) > limit);
    if (isApart) pixels += 1;
    const gray = 160 + (a[at] + a[at + 1] + a[at + 2]) / 8;
    for (const channel of [0, 1, 2]) a[at + channel] = isApart ? (channel === 0 ? 220 : 0) : gray;
  }
  before.context.putImageData(before.data, 0, 0);
  return { pixels, image: before.canvas.toDataURL('image/png').replace(/^[^,]*,/, '') };
}`;

async function comparePixels(page: Page, before: Uint8Array, after: Uint8Array): Promise<Difference> {
  if (Buffer.from(before).equals(Buffer.from(after))) return { pixels: 0, isSeen: false, image: null };
  const addresses = [before, after].map(
    (png) => `data:image/png;base64,${Buffer.from(png).toString('base64')}`,
  );
  const call = `(${COMPARE})(${JSON.stringify({ addresses, limit: CHANNEL_MAX })})`;
  const found = await page.evaluate<{ pixels: number; image: string } | null>(call);
  if (found === null) return { pixels: null, isSeen: true, image: null };
  const image = Buffer.from(found.image, 'base64');
  return { pixels: found.pixels, isSeen: found.pixels > PIXELS_MAX, image };
}

/** Installs Debian's poppler-utils where that can be done. */
function requirePoppler(): void {
  if (existsSync('/usr/bin/pdftoppm')) return;
  if (process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get'))
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'poppler-utils'], {
      stdio: 'ignore',
    });
  if (!existsSync('/usr/bin/pdftoppm'))
    throw new Error('Pages are compared with pdftoppm; install Debian’s package poppler-utils.');
}
