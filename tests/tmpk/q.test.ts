import { test } from 'node:test';
import { testDatabase } from '#testing/database.ts';
const { database } = await testDatabase();
test('q', async () => {
  for (let k = 0; k < 4; k++) {
    const t = process.cpuUsage();
    for (let i = 0; i < 4000; i++) await database.read.query("select * from experiments where id = $1", ['00000000-0000-0000-0000-000000000000']);
    const u = process.cpuUsage(t);
    console.log('us per query', ((u.user + u.system) / 4000).toFixed(1));
  }
});
