using System.Security.Cryptography;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <summary>Converts the types of the contract to messages and back.</summary>
internal static class GrpcMapping
{
    public static FileVersion ToMessage(StoredFile file)
    {
        var message = new FileVersion
        {
            Name = file.Name.Value,
            Length = file.Length,
            Modified = ToMessage(file.Modified),
            Tag = file.Tag.Value,
            Count = file.Length,
            Executable = file.IsExecutable,
        };
        if (file.Sha256 is { } digest)
        {
            message.Sha256 = ToMessage(digest);
        }

        return message;
    }

    public static Timestamp ToMessage(FileTime time) => new() { Seconds = time.Seconds, Nanos = time.Nanoseconds };

    /// <returns>Null if it is invalid: RFC 3339 has the years 1 to 9999.</returns>
    public static FileTime? ToTime(Timestamp time) =>
        time.Nanos is >= 0 and < 1_000_000_000 && new FileTime(time.Seconds, time.Nanos) is var valid && valid.Seconds == time.Seconds
            ? valid
            : null;

    public static ByteString ToMessage(Sha256Digest digest)
    {
        Span<byte> bytes = stackalloc byte[SHA256.HashSizeInBytes];
        digest.CopyTo(bytes);
        return ByteString.CopyFrom(bytes);
    }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it does not have 32 bytes.</exception>
    public static Sha256Digest ToDigest(ByteString bytes) => bytes.Length == SHA256.HashSizeInBytes
        ? new Sha256Digest(bytes.Span)
        : throw new TransferException(
            TransferError.InvalidRequest, $"A SHA-256 has {SHA256.HashSizeInBytes} bytes, and this one {bytes.Length}.");

    public static Precondition? ToMessage(WritePrecondition precondition)
    {
        if (precondition == default)
        {
            return null;
        }

        var message = new Precondition { MustNotExist = precondition.CreateNew, MustExist = precondition.MustExist };
        if (precondition.Match is { } tags)
        {
            message.Tags.AddRange(tags.Select(tag => tag.Value));
        }

        if (precondition.UnmodifiedSince is { } since)
        {
            message.UnmodifiedSince = Timestamp.FromDateTimeOffset(since);
        }

        return message;
    }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it contradicts itself.</exception>
    public static WritePrecondition ToPrecondition(Precondition? message)
    {
        if (message is null)
        {
            return default;
        }

        if (message.MustNotExist && (message.MustExist || message.Tags.Count > 0))
        {
            throw new TransferException(
                TransferError.InvalidRequest, "A precondition requires both that the file exists and that it does not.");
        }

        return new WritePrecondition
        {
            CreateNew = message.MustNotExist,
            MustExist = message.MustExist,
            Match = message.Tags.Count == 0 ? null : [.. message.Tags.Select(tag => new EntityTag(tag))],
            UnmodifiedSince = message.UnmodifiedSince?.ToDateTimeOffset(),
        };
    }
}
