// As tests/tools/tokens_driver.cpp, by npm's `tiktoken`.
// Usage: node tiktoken_reference.cjs FILE
'use strict';
const fs = require('fs');
const {get_encoding: getEncoding} = require('tiktoken');

const encoding = getEncoding('o200k_base');
const data = fs.readFileSync(process.argv[2]);
const lines = [];
for (let at = 0; at < data.length;) {
  const end = data.indexOf(10, at);
  const size = Number(data.toString('latin1', at, end));
  const text = data.toString('utf8', end + 1, end + 1 + size);
  lines.push(encoding.encode_ordinary(text).join(' ') + '\n');
  at = end + 1 + size;
}
fs.writeSync(1, lines.join(''));
