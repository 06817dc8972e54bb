/** Loaded into a server under test beside its own code: ends it with whoever started it, however that ended. */
process.on('disconnect', () => process.exit())
process.channel?.unref()
