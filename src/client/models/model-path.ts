import { ClientError } from '../client-error.ts'
import type { Place } from './resolve-place.ts'

/** The full name of a model as the API has it: `models/…`, or `publishers/google/models/…` on the enterprise platform. */
export function modelName({ platform }: Pick<Place, 'platform'>, name: string): string {
  if (!/^[\w.@:-]+(?:\/[\w.@:-]+)*$/.test(name) || name.split('/').some((word) => /^\.+$/.test(word)))
    throw new ClientError('invalid_option', 'the name of a model has letters, digits and - . _ alone')
  if (platform === 'gemini') return /^(?:models|tunedModels)\//.test(name) ? name : `models/${name}`
  if (/^(?:publishers|projects)\//.test(name)) return name
  const [publisher, ...rest] = name.replace(/^models\//, '').split('/')
  return rest.length === 0
    ? `publishers/google/models/${publisher}`
    : `publishers/${publisher}/models/${rest.join('/')}`
}

/** The address of an operation on a model. */
export function operationUrl(place: Place, name: string, operation: string): URL {
  const full = modelName(place, name)
  const prefix = full.startsWith('projects/') ? '' : projectPath(place)
  return under(place, `${prefix}${full}:${operation}`)
}

/** The address of the models, or of one; on the enterprise platform base models belong to no project. */
export function modelsUrl(place: Place, name?: string): URL {
  if (name !== undefined) return under(place, modelName(place, name))
  return under(place, place.platform === 'vertex' ? 'publishers/google/models' : 'models')
}

function projectPath({ project, location }: Place): string {
  if (project === undefined || location === undefined) return ''
  return `projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}/`
}

function under({ baseUrl, apiVersion }: Place, path: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${apiVersion}/${path}`
  return url
}
