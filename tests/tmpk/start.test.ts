import { test } from 'node:test';
import { testService } from '#testing/service.ts';
import { readProcessorSeconds } from '../../scripts/test/processor-time.ts';
const t00 = readProcessorSeconds();
console.log('import', t00.toFixed(2));
for (let i = 0; i < 12; i++) {
  test(`run ${i}`, async () => {
    const t0 = readProcessorSeconds();
    const s = await testService();
    const t1 = readProcessorSeconds();
    await s.ask('GET', '/experiments');
    const t2 = readProcessorSeconds();
    console.log(i, 'start', (t1 - t0).toFixed(3), 'ask', (t2 - t1).toFixed(3));
  });
}
