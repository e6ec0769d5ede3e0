namespace Millrace.Writing;

internal sealed class DirectFileWriter
{
}
