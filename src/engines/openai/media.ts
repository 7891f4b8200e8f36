import type { Part } from '../content.ts'
import { untranslatable } from './untranslatable.ts'

export type MediaPart =
  | {
      readonly type: 'image_url'
      readonly image_url: { readonly url: string; readonly detail?: ImageDetail }
    }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }

export type ImageDetail = 'low' | 'high'

const audioFormats: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

/** Images become data URLs, wav and mp3 audio; the wire knows no other media. */
export function mediaPart(
  inlineData: NonNullable<Part['inlineData']>,
  path: string,
  detail: ImageDetail | undefined,
): MediaPart {
  const [mimeType = ''] = (inlineData.mimeType ?? '').toLowerCase().split(';')
  const data = standardBase64(inlineData.data ?? '')
  if (data === '') throw untranslatable(`${path}.data`, 'is empty; give the bytes in Base64')
  if (/^image\/[a-z0-9.+-]+$/.test(mimeType)) {
    const url = `data:${mimeType};base64,${data}`
    return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } }
  }
  const format = audioFormats.get(mimeType)
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  const why = `media of type ${JSON.stringify(mimeType)} cannot be sent on; use an image, audio/wav or audio/mp3`
  throw untranslatable(`${path}.mimeType`, why)
}

/** The Gemini wire also takes the URL-safe alphabet. */
function standardBase64(data: string): string {
  return data.replaceAll('-', '+').replaceAll('_', '/')
}
