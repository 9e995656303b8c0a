/** A real browser for what only a browser can do: WebAuthn, layout, color contrast. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATIENT_MS = 300_000;
/** The first has no windows, and takes half the processor time of the others. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** Of Debian, the first one that it has. */
const PACKAGES = ['chromium-headless-shell', 'chromium'];

/** Installs Debian's Chromium where that can be done; otherwise the test fails and says what is missing. */
function findExecutable(): string {
  const installed = PLACES.find((path) => existsSync(path)) ?? addPackage();
  if (installed !== undefined) return installed;
  throw new Error(
    `This test needs a Chromium at one of ${PLACES.join(', ')}; install one of Debian's packages ${PACKAGES.join(', ')}.`,
  );
}

function addPackage(): string | undefined {
  if (process.geteuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  for (const name of PACKAGES) {
    const { status } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name]);
    if (status === 0) return PLACES.find((path) => existsSync(path));
  }
  return undefined;
}

/** Its pages wait for what they are told to wait for as long as a busy machine may need. */
export async function startChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findExecutable(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    timeout: PATIENT_MS,
  });
  const openContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await openContext(options);
    context.setDefaultTimeout(PATIENT_MS);
    return context;
  };
  return browser;
}
