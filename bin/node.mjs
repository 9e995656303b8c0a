#!/bin/sh
':' //; exec "${npm_node_execpath:-node}" "$0" "$@"

// Runs a script of this package on the bundled Node, whatever Node started us. bin/assayer.mjs explains the line above.
import { launch } from './launch.mjs';
import { chooseNode } from './runtime.mjs';

launch(chooseNode(), process.argv.slice(2));
