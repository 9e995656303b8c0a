import { nameBindingInstrument } from '../binding/instrument.ts';
import { makeWellAssay } from '../simulated-wells.ts';
import { CAPTURE_ROOM, writeCaptureFile } from './capture-run.ts';

export const expression = makeWellAssay({
  price: { unit_price_cents: 7_900, replicate_price_cents: 1_500 },
  nameInstrument: nameBindingInstrument,
  room: CAPTURE_ROOM,
  failure: 'bad_sensor',
  writeFile: writeCaptureFile,
});
