/** Why a volume cannot be attached. */
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { maxVolumesOfServer, type Volume } from './domain.ts'

/** 422 `volume_already_attached`. */
export function alreadyAttached({ id, serverId }: Pick<Volume, 'id' | 'serverId'>): ApiError {
  const message = `volume with ID '${id}' is attached to server with ID '${serverId}' already`
  return new ApiError('volume_already_attached', message)
}

/** 422 `invalid_input` in the field that names the volume or the server. */
export function inAnotherLocation(field: 'volumes' | 'server'): ApiError {
  return invalidInput([{ field, message: 'the server is in another location than the volume' }])
}

/** 403 `resource_limit_exceeded`. */
export function tooManyVolumes(): ApiError {
  const message = `a server cannot have more than ${maxVolumesOfServer} volumes`
  return new ApiError('resource_limit_exceeded', message, { details: { limits: [{ name: 'volumes_per_server' }] } })
}
