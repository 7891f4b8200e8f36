import { hash } from 'node:crypto'
import type { Route } from './route.ts'

const style = `:root {
  color-scheme: light dark;
  --ground: #eef1f5;
  --sheet: #ffffff;
  --ink: #1a1f26;
  --faint: #56606c;
  --line: #d5dae1;
  --edge: #7d8692;
  --accent: #1b5cb5;
  --accent-strong: #154a94;
  --on-accent: #ffffff;
  --alarm: #a5211a;
  --alarm-ground: #fdeeec;
  --hint: #7a4b00;
  --hint-ground: #fff5df;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101318;
    --sheet: #1a1e25;
    --ink: #e9ecf0;
    --faint: #a9b2bd;
    --line: #343b45;
    --edge: #7c8693;
    --accent: #8fb8f6;
    --accent-strong: #b3cffa;
    --on-accent: #0c1a30;
    --alarm: #ffb4ab;
    --alarm-ground: #3b1d1b;
    --hint: #f3cf8e;
    --hint-ground: #342a17;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  padding: clamp(0.75rem, 4vw, 3rem) 0.75rem;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
main {
  max-width: 27rem;
  margin: 0 auto;
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 0.875rem;
  padding: clamp(1.125rem, 5vw, 2rem);
}
h1 { margin: 0 0 0.375rem; font-size: 1.4375rem; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 0.75rem; }
.brand { display: flex; align-items: center; gap: 0.5rem; margin: 0 0 1.375rem; font-weight: 650; }
.gate {
  width: 1rem;
  height: 1.3125rem;
  border: 0.1875rem solid var(--accent);
  border-bottom-width: 0;
  border-radius: 1rem 1rem 0 0;
}
.faint { color: var(--faint); }
.small { font-size: 0.875rem; }
label { display: block; margin: 1rem 0 0.25rem; font-weight: 600; }
input {
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  font: inherit;
  color: inherit;
  background: var(--sheet);
  border: 1px solid var(--edge);
  border-radius: 0.5rem;
}
input[aria-invalid="true"] { border-color: var(--alarm); border-width: 2px; }
button {
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
  font: inherit;
  font-weight: 600;
  color: var(--ink);
  background: transparent;
  border: 1px solid var(--edge);
  border-radius: 0.5rem;
  cursor: pointer;
}
button:hover { border-color: var(--ink); }
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
button.main:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
button.link, a { color: var(--accent); text-decoration: underline; text-underline-offset: 0.15em; }
button.link { min-height: 1.5rem; padding: 0; border: 0; font-weight: 400; text-align: left; }
button.link:hover, a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.buttons > * { flex: 1 1 9rem; }
.buttons button { width: 100%; }
.buttons.single { margin-top: 1.25rem; }
.buttons.stacked > * { flex-basis: 100%; }
.cancel { margin-top: 1.25rem; text-align: center; }
.or { display: flex; align-items: center; gap: 0.75rem; margin: 1.25rem 0; color: var(--faint); }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.note { margin: 1rem 0; padding: 0.75rem 0.875rem; border-radius: 0.5rem; border: 1px solid; }
.note p:last-child, .note > :last-child { margin-bottom: 0; }
.alarm { color: var(--alarm); background: var(--alarm-ground); }
.hint { color: var(--hint); background: var(--hint-ground); }
.note code { font-size: 1em; font-weight: 650; white-space: nowrap; }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.asker {
  display: flex;
  gap: 0.875rem;
  align-items: flex-start;
  margin: 1.25rem 0;
  padding: 0.875rem;
  border: 1px solid var(--line);
  border-radius: 0.625rem;
}
.asker p { margin: 0; }
.asker .name { font-size: 1.0625rem; font-weight: 650; line-height: 1.35; }
.asker .name + p { margin-top: 0.25rem; }
.letter {
  flex: none;
  width: 2.5rem;
  height: 2.5rem;
  border-radius: 0.625rem;
  background: var(--ground);
  border: 1px solid var(--line);
  font-weight: 650;
  font-size: 1.125rem;
  line-height: 2.4375rem;
  text-align: center;
}
.scopes { margin: 0; padding: 0; list-style: none; }
.scopes li { position: relative; padding: 0.375rem 0 0.375rem 1.625rem; }
.scopes li::before { content: "+"; position: absolute; left: 0.25rem; font-weight: 700; color: var(--accent); }
.scopes.allowed li::before { content: "\\2713"; color: var(--faint); }
.scopes.withheld li::before { content: "\\2013"; color: var(--faint); }
.scopes.allowed, .scopes.withheld { color: var(--faint); }
.scopes code { display: block; color: var(--faint); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.375rem 1rem; margin: 1.5rem 0 0; padding-top: 1.125rem; border-top: 1px solid var(--line); }
dt { color: var(--faint); }
dd { margin: 0; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--accent); }
@media (max-width: 24rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd + dt { margin-top: 0.5rem; }
}
@media (forced-colors: active) {
  .gate { border-color: CanvasText; }
}
`

/** Its address changes with its content, so that browsers may keep it. */
export const stylePath: string = `/style.css?v=${hash('sha256', style, 'hex').slice(0, 12)}`

export const styleRoute: Route = {
  method: 'GET',
  path: /^\/style\.css$/,
  handle: async ({ response }) => {
    response
      .writeHead(200, {
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      .end(style)
  },
}
