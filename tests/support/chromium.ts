/** A real browser for what only a browser can do: WebAuthn, layout, color contrast. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATIENT_MS = 300_000;
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Installs Debian's Chromium where that can be done; otherwise the test fails and says what is missing. */
function findExecutable(): string {
  const found = PLACES.find((path) => existsSync(path));
  if (found !== undefined) return found;
  if (process.geteuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
    const installed = PLACES.find((path) => existsSync(path));
    if (installed !== undefined) return installed;
  }
  throw new Error(
    `This test needs a Chromium at one of ${PLACES.join(', ')}; install Debian's package chromium.`,
  );
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
