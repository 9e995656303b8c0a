// Keeps V8 from replacing a running loop by code of its middle compiler: that of Node 24.21 mixes up the variables of two
// calls now and then (docs/decisions/install.md).
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-maglev-osr');
