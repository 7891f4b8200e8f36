import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayText, html } from './html.ts'

test('what is put into a template is escaped, in text and in attributes', () => {
  const hostile = `"><script>alert('1')</script>&`
  assert.equal(
    html`<p title="${hostile}">${hostile}</p>`.markup,
    '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</p>',
  )
})

test('markup goes into markup as it is, lists are joined and undefined leaves nothing', () => {
  const items = ['<a>', 'b'].map((text) => html`<li>${text}</li>`)
  assert.equal(html`<ul>${items}</ul>${undefined}${3}`.markup, '<ul><li>&lt;a&gt;</li><li>b</li></ul>3')
})

test('a name loses controls, line breaks and characters that turn or hide text', () => {
  assert.equal(displayText('Goo\u202Egle\u0000\u200B\u2066 \n\t App\u00AD\uFEFF'), 'Google App')
  assert.equal(displayText('\u{E0041}x\u{10FFFF}\uD800'), 'x')
})

test('a name of full-width letters reads as the plain letters it imitates', () => {
  assert.equal(displayText('Ｐｏｓｔｅｒｎ'), 'Postern')
})

test('marks that pile up over a letter are cut, one accent stays', () => {
  assert.equal(displayText(`Ada${'\u0335'.repeat(50)} Zoë`), 'Ada\u0335\u0335 Zoë')
})

test('a long name ends at 80 characters and never within one', () => {
  const cut = displayText('😀'.repeat(5000))
  assert.equal(Array.from(cut).length, 80)
  assert.equal(cut.endsWith('😀…'), true)
})
