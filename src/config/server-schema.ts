import {
  type TArray,
  type TInteger,
  type TLiteral,
  type TObject,
  type TOptional,
  type TString,
  type TUnion,
  Type,
} from 'typebox'
import { derivedMark, listOf, section } from './schema-parts.ts'

export const serverSchema: TObject<{
  host: TString
  port: TInteger
  opsPort: TInteger
  publicUrl: TString
  allowedOrigins: TArray<TString>
  allowedHosts: TArray<TString>
  trustedProxies: TArray<TString>
  workers: TUnion<[TInteger, TLiteral<'auto'>]>
  bodyLimitBytes: TInteger
  bodyBudgetBytes: TInteger
  headersTimeoutSeconds: TInteger
  requestTimeoutSeconds: TInteger
  keepAliveTimeoutSeconds: TInteger
  shutdownSeconds: TInteger
  maxConnections: TOptional<TInteger>
}> = section('Where the gateway listens, and how it is reached.', {
  host: Type.String({
    format: 'listen-host',
    default: '127.0.0.1',
    description: 'The address to listen on: a name or an IP address. `0.0.0.0` or `::` listens on every one.',
  }),
  port: port(8080, 'The port of the gateway. `0` takes any free one.'),
  opsPort: port(8082, 'The port of `/metrics`, which is served only there. `0` takes any free one.'),
  publicUrl: Type.String({
    format: 'public-url',
    [derivedMark]: '`http://<host>:<port>` when `host` is loopback; required otherwise',
    description:
      'The URL by which clients reach the gateway: the origin of resource identifiers and links. https, unless its host is loopback; no trailing slash.',
  }),
  allowedOrigins: listOf(Type.String({ format: 'web-origin' }), {
    description:
      'Web origins, besides the one of `publicUrl`, whose pages may call the gateway and read its answers (CORS): `https://app.example`.',
  }),
  allowedHosts: listOf(Type.String({ format: 'host-header' }), {
    description:
      'Values of the `Host` header to accept besides the one of `publicUrl`; when `host` is loopback, loopback names are accepted as well.',
  }),
  trustedProxies: listOf(Type.String({ format: 'address-range' }), {
    description:
      'Addresses or ranges (`10.1.2.0/28`) of proxies in front, and never of clients: their `X-Forwarded-For` is believed for the `addresses` of API keys.',
  }),
  workers: Type.Union([Type.Integer({ minimum: 1, maximum: 256 }), Type.Literal('auto')], {
    default: 1,
    description: 'How many processes serve requests. `auto` starts one for each processor.',
  }),
  bodyLimitBytes: Type.Integer({
    minimum: 1024,
    maximum: 1_073_741_824,
    default: 4_194_304,
    description: 'The largest request body to read. A larger one is refused with 413.',
  }),
  bodyBudgetBytes: Type.Integer({
    minimum: 1_048_576,
    maximum: 1_099_511_627_776,
    default: 268_435_456,
    description:
      'How many bytes of request bodies `/mcp` and the model API hold in memory at once, in each process. Less than twice the largest body is raised to that, with a warning at the start. Beyond it a request is refused with 503, and with 429 when its own caller holds half of it.',
  }),
  headersTimeoutSeconds: seconds(10, 'How long a client may take to send its headers.'),
  requestTimeoutSeconds: seconds(
    60,
    'How long a client may take to send a whole request, headers included; the bytes of a file, 256 KiB of them.',
  ),
  keepAliveTimeoutSeconds: seconds(
    72,
    'How long an idle connection stays open. Keep it longer than the balancer in front does (usually 60).',
  ),
  shutdownSeconds: seconds(30, 'How long a stopping gateway waits for what is in flight.'),
  maxConnections: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many connections may be open at once. No limit unless set.',
    }),
  ),
})

function port(number: number, description: string): TInteger {
  return Type.Integer({ minimum: 0, maximum: 65_535, default: number, description })
}

function seconds(number: number, description: string): TInteger {
  return Type.Integer({ minimum: 1, maximum: 3600, default: number, description })
}
