import { makeWellAssay } from '../simulated-wells.ts';
import { MELT_ROOM, writeMeltFile } from './melt-run.ts';

export const thermostability = makeWellAssay({
  price: { unit_price_cents: 9_900, replicate_price_cents: 1_900 },
  nameInstrument: () => 'Simulated nanoDSF',
  room: MELT_ROOM,
  failure: 'bubble',
  writeFile: writeMeltFile,
});
