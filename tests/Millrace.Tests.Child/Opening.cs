namespace Millrace.Tests.Child;

internal static class Opening
{
    public static FilePipeReader Mapped(string path) =>
        FilePipe.OpenRead(path, new FileReadOptions { Strategy = ReadStrategy.Mapped });
}
