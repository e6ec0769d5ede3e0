namespace Millrace.Tests.Copying;

/// <summary>The source and the destination of a <see cref="CopyToCase"/>.</summary>
internal enum CopyTarget
{
    /// <summary>From a file pipe to a created file.</summary>
    ReaderToWriter,

    /// <summary>From a file pipe to a FileStream.</summary>
    ReaderToFileStream,

    /// <summary>From a FileStream to a created file.</summary>
    FileStreamToWriter,

    /// <summary>From another stream to a created file.</summary>
    OtherStreamToWriter,
}
