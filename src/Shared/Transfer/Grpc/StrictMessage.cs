using System.Text.Unicode;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Millrace.Transfer;

/// <summary>
/// Parses messages whose text has to be UTF-8, as proto3 demands. The library replaces invalid bytes by U+FFFD, which would make
/// one name of two.
/// </summary>
internal static class StrictMessage
{
    /// <exception cref="InvalidProtocolBufferException">The bytes are not such a message.</exception>
    /// <exception cref="TransferException">
    /// A text is not UTF-8: <see cref="TransferError.InvalidName"/> of a name, otherwise <see cref="TransferError.InvalidRequest"/>.
    /// </exception>
    public static T Parse<T>(MessageParser<T> parser, ReadOnlySpan<byte> bytes)
        where T : IMessage<T>
    {
        T message = parser.ParseFrom(bytes);
        Check(message.Descriptor, bytes);
        return message;
    }

    /// <summary>Checks the text of a message that could be parsed, so that its framing is right.</summary>
    private static void Check(MessageDescriptor type, ReadOnlySpan<byte> bytes)
    {
        // Only unknown fields are groups, and the numbers in them mean nothing in this message.
        int groups = 0;
        while (!bytes.IsEmpty)
        {
            ulong tag = Varint.Take(ref bytes);
            switch (WireFormat.GetTagWireType((uint)tag))
            {
                case WireFormat.WireType.Varint:
                    Varint.Take(ref bytes);
                    break;
                case WireFormat.WireType.Fixed64:
                    bytes = bytes[8..];
                    break;
                case WireFormat.WireType.Fixed32:
                    bytes = bytes[4..];
                    break;
                case WireFormat.WireType.LengthDelimited:
                    int length = (int)Varint.Take(ref bytes);
                    if (groups == 0)
                    {
                        Check(type.FindFieldByNumber(WireFormat.GetTagFieldNumber((uint)tag)), bytes[..length]);
                    }

                    bytes = bytes[length..];
                    break;
                case WireFormat.WireType.StartGroup:
                    groups++;
                    break;
                default:
                    groups--;
                    break;
            }
        }
    }

    private static void Check(FieldDescriptor? field, ReadOnlySpan<byte> content)
    {
        if (field?.FieldType == FieldType.Message)
        {
            Check(field.MessageType, content);
        }
        else if (field?.FieldType == FieldType.String && !Utf8.IsValid(content))
        {
            string text = System.Text.Encoding.UTF8.GetString(content);
            throw field.Name is "name" or "folder" or "after"
                ? new TransferException(TransferError.InvalidName, NameRules.Describe(text, NameFault.NotUnicode))
                : new TransferException(
                    TransferError.InvalidRequest, $"The text of '{field.Name}' is not valid UTF-8: '{NameEncoding.Printable(text)}'.");
        }
    }
}
