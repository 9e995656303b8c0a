/** Two services over one database: signing out in one ends what a program holds, at its next call in the other. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { VirtualClock } from '#testing/virtual-clock.ts';
import { createIds } from '#core/ids.ts';
import { createLogger } from '#transports/log.ts';
import { testDatabase } from '#testing/database.ts';
import { OAuth } from '#testing/oauth.ts';
import { createService, type Service } from '../../src/main.ts';
import { readSettings } from '#settings/settings.ts';

const services: Service[] = [];
after(() => Promise.all(services.map((service) => service.close())));
const { connection } = await testDatabase();
const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));

async function start(): Promise<Service> {
  const log = createLogger('silent', { write: () => undefined });
  const settings = readSettings({ RATE_LIMIT_PER_SECOND: '0', DATA_DIR: '/nonexistent' });
  const service = await createService(settings, { clock, ids: createIds(clock), log }, connection);
  services.push(service);
  return service;
}

const one = await start();
const two = await start();
const [here, there] = [new OAuth({ service: one }), new OAuth({ service: two })];

test('hostile 5 and 13, sign-out: in one process → access and refresh end in both at the next request', async () => {
  const browser = await here.openBrowser();
  const dance = await here.runDance(browser);
  // The code of one process is redeemed in the other.
  const { access, refresh } = await there.redeemTokens(dance);
  for (const process of [here, there]) assert.equal((await process.call(access)).status, 200);
  assert.equal((await browser.send(await browser.open('/'), '/sign-out')).status, 303);
  for (const process of [there, here]) {
    assert.equal((await process.call(access)).status, 401);
    assert.ok((await process.refresh(dance, refresh)).status >= 400);
  }
});

test('hostile 13, code replay: the second use is in another process → the access of the first ends', async () => {
  const dance = await here.runDance(await here.openBrowser());
  const { access } = await here.redeemTokens(dance);
  assert.equal((await there.call(access)).status, 200);
  assert.ok((await there.redeem(dance)).status >= 400);
  for (const process of [here, there]) assert.equal((await process.call(access)).status, 401);
});
