// Like tokens_time.cpp, with npm's `gpt-tokenizer`.
'use strict';
const fs = require('fs');
const {countTokens} = require('gpt-tokenizer/encoding/o200k_base');

const text = fs.readFileSync(process.argv[2], 'utf8');
const begin = process.hrtime.bigint();
const count = countTokens(text, {disallowedSpecial: new Set()});
console.log(count, Number(process.hrtime.bigint() - begin) / 1e9);
