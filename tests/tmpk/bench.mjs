import pg from 'pg';
const Query = pg.Query;
const N=300000;
function a(){ const t=performance.now(); for(let i=0;i<N;i++){ const text='select '+(i%50); const values=[1,2]; const name='s'+(i%50); const q={text, ...(values===undefined?{}:{values:[...values]}), ...(name===undefined?{}:{name})}; new Query(q,undefined,undefined);} return (performance.now()-t)*1000/N; }
function b(){ const t=performance.now(); for(let i=0;i<N;i++){ const text='select '+(i%50); const q=new Query(text,[1,2]); q.name='s'+(i%50);} return (performance.now()-t)*1000/N; }
const Result=require_('pg/lib/result.js');
import {createRequire} from 'node:module';
function require_(n){return createRequire(import.meta.url)(n)}
const fields=Array.from({length:12},(_, i)=>({name:'column_'+i,dataTypeID:25,format:'text'}));
const types={getTypeParser:()=>String};
function c(){ const t=performance.now(); for(let i=0;i<N/3;i++){ const r=new Result(undefined,types); r.addFields(fields); r.parseRow(Array(12).fill('x')); } return (performance.now()-t)*1000/N*3; }
function d(){ const t=performance.now(); for(let i=0;i<N/3;i++){ const r=new Result(undefined,types); r.fields=fields; const row={}; for (let k=0;k<fields.length;k++) row[fields[k].name]=null; const p=new Array(12); for (let k=0;k<12;k++) p[k]=types.getTypeParser(25,'text'); r._prebuiltEmptyResultObject=row; r._parsers=p; r.parseRow(Array(12).fill('x')); } return (performance.now()-t)*1000/N*3; }
for(let k=0;k<3;k++) console.log('clone',a().toFixed(2),'direct',b().toFixed(2),'addFields+1row',c().toFixed(2), 'alt', d().toFixed(2));
