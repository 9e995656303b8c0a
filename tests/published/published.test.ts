/** Every published set through the doors of one service. */
import { createBuilders } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';
import { testAnabel } from './anabel.ts';
import { createDoors } from './doors.ts';
import { testKingenie } from './kingenie.ts';
import { testMelts } from './melts.ts';
import { testTables } from './tables.ts';
import { testTitration } from './titration.ts';

const service = await testService();
const doors = createDoors(service, await createBuilders(service));

testTitration(doors);
testKingenie(doors);
testAnabel(doors);
testMelts(doors);
testTables(doors);
