import { loadRequestValidators } from '#testing/stripe/schemas.ts';
const t=process.cpuUsage(); const p=performance.now();
await loadRequestValidators();
const u=process.cpuUsage(t); console.log('cpu', ((u.user+u.system)/1e6).toFixed(1), 'wall', ((performance.now()-p)/1000).toFixed(1));
