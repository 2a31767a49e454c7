// Starts oauth2-mock-server on a free loopback port and writes its address in one line. Each line on standard input
// is an order in JSON, answered with one line: {"claims": {...}} sets what the next id_tokens say besides the
// server's own claims (null takes one out); {"rotate": true} makes a new key sign from now on. It ends with its input.
import { createInterface } from 'node:readline';
import { OAuth2Server } from 'oauth2-mock-server';

const server = new OAuth2Server();
await server.issuer.keys.generate('RS256');
let signingKey;
let claims = {};
server.service.on('beforeTokenSigning', (token) => {
  for (const [name, value] of Object.entries(claims)) {
    if (value === null) delete token.payload[name];
    else token.payload[name] = value;
  }
});
const buildToken = server.issuer.buildToken.bind(server.issuer);
server.issuer.buildToken = (options) => buildToken({ ...options, kid: signingKey });

await server.start(0, '127.0.0.1');
console.log(server.issuer.url);

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (order.claims) claims = order.claims;
  if (order.rotate) signingKey = (await server.issuer.keys.generate('RS256')).kid;
  console.log('done');
}
await server.stop();
process.exit(0);
