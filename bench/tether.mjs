/**
 * Preloaded into a server under test: ends it together with its parent, however that one ended. It is plain JavaScript,
 * because stripping types would add to the server's start time and memory.
 */
process.on('disconnect', () => process.exit())
process.channel?.unref()
