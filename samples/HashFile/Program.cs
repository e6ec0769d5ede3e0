// Prints the SHA-256 of a file as `sha256sum` does.
using System.Security.Cryptography;
using Millrace;

if (args is not [string path])
{
    Console.Error.WriteLine("Usage: HashFile FILE");
    return 1;
}

try
{
    await using FilePipeReader reader = FilePipe.OpenRead(path);
    using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    await reader.ForEachSegmentAsync(hash, static (segment, hash) => hash.AppendData(segment));
    Console.WriteLine($"{Convert.ToHexStringLower(hash.GetHashAndReset())}  {path}");
    return 0;
}
catch (FilePipeException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}
